"""django-q2's cluster, made safe against the sudden death of any of its processes.

q2 shares locks between its processes: a reader blocked in `Queue.get()` holds the queue's read lock, and a process that
is killed gives nothing back. One SIGKILL of an idle worker (or our own watchdog's exit) and the cluster never takes a
task again. Here every shared thing is one that the kernel or a single writer keeps consistent: `queue`, `event`,
`timer`; `sentinel` ties the processes together and `install` puts all of them in place of q2's.
"""
