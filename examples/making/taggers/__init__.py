"""Taggers that really learn: a list of names, a hidden Markov model, a perceptron, and conditional random fields."""
