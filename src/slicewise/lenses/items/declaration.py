"""The lens `items`, as everything that lists lenses reads it."""

from slicewise.lenses.contract import Lens

LENS = Lens(name="items", title="Items", question="Which items have low scores, and what do they look like?")
