"""Tags for the templates of the pages."""
