"""What is done to many runs at once: a page says what will and will not be touched, and then it is done in batches.

Each batch is one request, bounded in number and in time, from the newest run to the oldest; the page carries the id
that it goes on before, so what was interrupted goes on where it was. A run that the log already names for this very
showing of the page is not touched again.
"""
