"""A Django app that exists in tests alone: tools that count, fail, burn, wait and die, and points to die at."""
