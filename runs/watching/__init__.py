"""Watching a run tree live: the subscription that the socket `/ws/runs` serves.

- A process that writes tells after its commit which runs have changed (`hints`), or the web process notices that the
  database has (`tail`). Either is a hint: one that is lost costs up to two seconds and nothing else.
- One `Feed` per tree and web process then reads what is new (`tree`), and encodes each frame once, for all sockets. It
  keeps the newest frames in a window of bounded size.
- A `Subscription` is a place in that window and a cursor per run. One that has fallen out of the window is told that it
  is behind, and reads what it has missed from the database (`shelf`) by its cursors: no gap, nothing twice.
- `Paced` makes a socket that is read slowly wait, so that what waits for it stays in the window and not in memory.
"""
