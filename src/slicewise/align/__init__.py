"""Alignment of gold and systems. All alignment errors are detected and reported here, once."""

from slicewise.align.aligned import Aligned
from slicewise.align.alignment import align, few_clusters, training_units
from slicewise.align.clusters import Clusters
from slicewise.align.labels import unknown_labels
from slicewise.align.options import Options

__all__ = ["Aligned", "Clusters", "Options", "align", "few_clusters", "training_units", "unknown_labels"]
