"""`manage.py up`: web, workers and clock under one process, started, watched, restarted and stopped together."""
