"""What the management commands share: exit codes, reading arguments, printing, following a run, ticking."""
