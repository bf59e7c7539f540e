"""What lenses share about which systems are right on which units."""
