"""Compare what two versions of Slicewise write, byte for byte: for redesigns that must not change any output.

`make same BASE=rev`, or `PYTHONPATH=tools python -m same [--base REV] [--quick] [--spark] [--only PATTERN…]`.
"""
