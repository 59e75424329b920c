"""Groups of node kinds of the JavaScript grammar that more than one rule asks about."""

FUNCTION_DECLARATIONS = frozenset({"function_declaration", "generator_function_declaration"})
FUNCTION_EXPRESSIONS = frozenset({"function_expression", "generator_function", "arrow_function"})
FUNCTIONS = FUNCTION_DECLARATIONS | FUNCTION_EXPRESSIONS | {"method_definition"}
GENERATORS = frozenset({"generator_function", "generator_function_declaration"})
CLASSES = frozenset({"class", "class_declaration"})
LOOPS = frozenset({"for_statement", "for_in_statement", "while_statement", "do_statement"})
BLOCKS = frozenset({"statement_block", "switch_body", "for_statement", "for_in_statement", "catch_clause"})
DECLARATIONS = frozenset({"variable_declaration", "lexical_declaration", "using_declaration"})
NAMES = frozenset({"identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"})
MEMBERS = frozenset({"member_expression", "subscript_expression"})
