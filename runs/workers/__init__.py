"""What a worker process is: the runs resident in it, the keeper of their leases, and the watchdog over their realms."""
