"""What carries out the effects of a script, one file per family of ctx operations."""
