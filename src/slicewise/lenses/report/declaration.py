"""The lens `report`, as everything that lists lenses reads it."""

from slicewise.lenses.contract import Lens

LENS = Lens(name="report", title="Report", question="What is most worth fixing, over all lenses and data sets?")
