"""An attack on the command line: valid files are damaged, options made absurd, and no answer may be rude.

Every case comes of one number, runs in this process, and is judged by `oracle`; what fails is made small and kept as a
folder that can be run by hand. Begin with `run`.
"""
