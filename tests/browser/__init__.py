"""What people see and do: the pages in a headless Chromium, against a served installation with real runs.

A package, so that its fixtures of that scope end with its last test: nothing of it runs beside other tests.
"""
