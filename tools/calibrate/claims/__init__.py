"""What is claimed, and simulated: a module each."""
