"""Files into annotations: which format a file has, and the reader for it."""

from slicewise.read.files import open_source
from slicewise.read.registry import FORMATS, READERS, read, tags_alone, tell_format

__all__ = ["FORMATS", "READERS", "open_source", "read", "tags_alone", "tell_format"]
