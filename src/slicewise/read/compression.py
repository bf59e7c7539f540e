"""Compressed files: their formats by the first bytes."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys
import zlib
from typing import Any

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ZstdError = zstd.ZstdError
DAMAGED = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, ZstdError)
"""What reading a compressed file that is cut or damaged may raise."""
_BZIP2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")
"""What follows a bzip2 file's level, a block or the end: text, too, may begin with BZh."""
_CODECS: tuple[tuple[bytes, Any], ...] = (
    (b"\x1f\x8b", gzip),
    (b"\xfd7zXZ\0", lzma),
    *((b"BZh%d%b" % (level, block), bz2) for level in range(1, 10) for block in _BZIP2_BLOCKS),
    (b"\x28\xb5\x2f\xfd", zstd),
)
LONGEST_MAGIC = max(len(magic) for magic, _ in _CODECS)


def codec_of(start: bytes) -> Any | None:
    """Return the module that opens and decompresses a file with these first bytes; None where it is not compressed."""
    return next((codec for magic, codec in _CODECS if start.startswith(magic)), None)
