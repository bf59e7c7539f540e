"""The text around units is not copied for each of them."""

from __future__ import annotations

import tracemalloc

from slicewise import Evaluation
from slicewise.extract.items import FeatureSpec
from slicewise.extract.units import UnitFeatures


def test_many_units_of_one_item_share_its_text() -> None:
    """3,000 units of 3,000 tokens: copied, they would be nine million."""
    size = 3000
    words = [f"w{i}" for i in range(size)]
    spans = [(i, i + 1, "X") for i in range(size)]
    evaluation = Evaluation.from_spans([words, ["a"]], [spans, [(0, 1, "X")]], {"s": [[], []]})
    features = UnitFeatures(evaluation, FeatureSpec(least=1, ngrams=2, shapes=True))
    tracemalloc.start()
    families = features.families()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    around = [family for family in families if family.space == "in"]
    assert [family.kind for family in around] == ["token", "bigram", "shape"]
    for family, distinct in zip(around, (size + 1, size - 1, 5), strict=True):
        assert len(family) == distinct
        assert sorted(set(family.relation.counts.tolist())) in ([1, size], [size])
    assert peak < 20 * 2**20
