"""The pages of runs: thin views over `runs.starting`, `runs.signals`, `runs.operations` and `runs.cancelling`."""
