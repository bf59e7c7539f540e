"""Blocks of text and tables, and the media that show them."""
