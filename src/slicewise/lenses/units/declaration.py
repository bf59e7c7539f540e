"""The lens `units`, as everything that lists lenses reads it."""

from slicewise.lenses.contract import Lens

LENS = Lens(name="units", title="Units", question="Which units are there, and which systems have them?")
