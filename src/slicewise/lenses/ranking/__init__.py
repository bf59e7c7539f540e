"""What lenses share about ranking features, numbers and labels by how much they go with errors."""
