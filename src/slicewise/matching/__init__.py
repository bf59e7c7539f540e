"""Gold and returned spans matched one to one, and the kinds of error that the matching shows."""
