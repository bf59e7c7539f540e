"""What of a page is compared: all of it but its own code."""

from __future__ import annotations

import re

CODE = re.compile(rb"(<style\b[^>]*>|<script\b(?![^>]*application/json)[^>]*>).*?(</style>|</script>)", re.DOTALL)
"""A style, or a script that is run. Data are in scripts of type application/json, in which no `<` occurs."""
HASH = re.compile(rb"'sha256-[A-Za-z0-9+/=]+'")
"""What the page's policy allows to run: the hash of a script."""


def without_code(page: bytes) -> bytes:
    """Return a page without the contents of its styles and scripts and without the hashes of these.

    What remains, and is compared: the elements and all text, the embedded data (figures, settings, items), and how
    many styles and scripts there are, in which order and with which attributes.
    """
    head, end, body = CODE.sub(rb"\1\2", page).partition(b"</head>")
    return HASH.sub(b"'sha256-'", head) + end + body
