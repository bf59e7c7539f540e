"""Made-up data of which the truth is known."""
