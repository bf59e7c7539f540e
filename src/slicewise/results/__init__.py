"""Results: values that lenses return, and the files they are written to."""
