"""Three programs that answer questions, each with the weaknesses of its kind. None of them sees the right answer."""
