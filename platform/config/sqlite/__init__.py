"""Django's SQLite backend, in which writers take turns instead of polling for the lock."""
