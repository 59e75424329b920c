"""Replay health: where a run's history is not the plain story of a script that ran once, and what that means."""
