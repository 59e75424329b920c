"""The imports go one way, config -> runs -> journal -> django; and one file alone reads the environment."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
OURS = {"config", "runs", "journal"}
# What a package may import of ours; and whether Django is allowed in it.
MAY_IMPORT = {
    "journal": ({"journal"}, True),
    "runs": ({"runs", "journal"}, True),
    "config": ({"config", "runs"}, True),
    "runs.realm": ({"runs.realm"}, False),
    "runs.lint": ({"runs.lint"}, False),
    "runs.client": ({"runs.client"}, False),
}
# Who names `os.environ` beside the settings, and why.
ENVIRONMENT = {
    "platform/config/settings.py",
    "platform/config/asgi.py",  # names the settings module for Daphne, and reads nothing
    "manage.py",  # the same, for commands
    "runs/supervisor/child.py",  # sets what a child process is to find there, and reads nothing
}


def sources() -> list[Path]:
    files = [ROOT / "manage.py"]
    for folder in ("platform/config", "runs", "journal"):
        files += sorted((ROOT / folder).rglob("*.py"))
    return files


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts[1:] if parts[0] == "platform" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of everything a file imports, wherever in the file it does."""
    package = module_of(path) if path.name == "__init__.py" else module_of(path).rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def within(name: str, packages: set[str]) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_a_package_imports_only_what_lies_below_it(package: str) -> None:
    ours, django = MAY_IMPORT[package]
    wrong = []
    for path in sources():
        if not within(module_of(path), {package}):
            continue
        for line, name in imports(path):
            ours_elsewhere = within(name, OURS) and not within(name, ours)
            if ours_elsewhere or (not django and within(name, {"django", "channels", "django_q"})):
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {name}")
    assert not wrong, "\n".join(wrong)


def test_the_client_needs_four_libraries_and_nothing_else() -> None:
    libraries = {"cbor2", "cryptography", "httpx", "websockets"}
    given = sys.stdlib_module_names | libraries | {"runs"}
    client = [path for path in sources() if within(module_of(path), {"runs.client"})]
    used = {name.partition(".")[0] for path in client for _, name in imports(path)}
    assert used <= given
    assert libraries <= used


def test_the_settings_alone_read_the_environment() -> None:
    names = {"environ", "environb", "getenv", "getenvb"}
    wrong = []
    for path in sources():
        where = path.relative_to(ROOT).as_posix()
        if where in ENVIRONMENT:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            by_attribute = isinstance(node, ast.Attribute) and node.attr in names and _is_os(node.value)
            by_import = (
                isinstance(node, ast.ImportFrom) and node.module == "os" and any(a.name in names for a in node.names)
            )
            if by_attribute or by_import:
                wrong.append(f"{where}:{node.lineno}")
    assert not wrong, "\n".join(wrong)


def _is_os(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "os"


def test_platform_is_a_folder_and_not_a_package() -> None:
    assert not (ROOT / "platform" / "__init__.py").exists()
    assert [path.name for path in (ROOT / "platform").iterdir() if path.name != "__pycache__"] == ["config"]


def loaded_at_once(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports that run when the file is loaded: neither those of types alone nor those within functions."""
    todo: list[ast.stmt] = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If | ast.Try) and "TYPE_CHECKING" not in ast.dump(node):
            todo += node.body


def loads() -> dict[str, set[str]]:
    """For each module those that it loads: what it names, and the packages which that is in and it is not."""
    paths = {module_of(path): path for path in sources()}
    found: dict[str, set[str]] = {}
    for module, path in paths.items():
        found[module] = set()
        for node in loaded_at_once(ast.parse(path.read_text(encoding="utf-8"))):
            base = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                name = f"{base}.{alias.name}" if base else alias.name
                name = name if name in paths else base
                while name in paths and not within(module, {name}):
                    found[module].add(name)
                    name = name.rpartition(".")[0]
    return found


def test_no_module_is_loaded_in_a_circle() -> None:
    left = loads()
    while free := {module for module, needs in left.items() if not needs & left.keys()}:
        left = {module: needs for module, needs in left.items() if module not in free}
    while idle := set(left) - set().union(*left.values()):  # who only needs one of a circle is none of it
        left = {module: needs for module, needs in left.items() if module not in idle}
    assert not left, "\n".join(f"{module}: {', '.join(sorted(needs & left.keys()))}" for module, needs in left.items())


def test_the_log_loads_none_of_the_verbs_that_write_it() -> None:
    needs, todo, met = loads(), ["runs.audit"], set[str]()
    while todo:
        module = todo.pop()
        if module not in met:
            met.add(module)
            todo += needs[module]
    verbs = {"runs.operations", "runs.signals", "runs.cancelling", "runs.starting", "runs.pruning", "runs.portable"}
    assert not {module for module in met if within(module, verbs)}
