"""What a run did: entries, their codec, the store and the order of replay. Knows no realm, queue or run."""
