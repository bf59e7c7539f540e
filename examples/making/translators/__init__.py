"""Three ways to translate, learnt from the training pairs: a dictionary, a memory, and phrases with a moved verb."""
