"""What is measured: a file for each kind of work."""
