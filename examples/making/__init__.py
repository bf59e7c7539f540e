"""How the example data is made: grammars and word lists in `grammars/`, a module for each data set, and systems."""
