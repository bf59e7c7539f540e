"""The work of Slicewise and its peers, each in a process of its own; a function imports only what it needs."""
