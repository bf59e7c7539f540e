"""Embedded assets of a page: scripts, styles, and data that cannot break out of their element."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from slicewise.render.figures import Row

STYLES = ("page.css", "panel.css")
SCRIPTS = (
    "dom.js", "numbers.js", "tabs.js", "tables.js", "charts.js", "spans.js", "answers.js", "matching.js", "panel.js",
    "route.js",
)  # fmt: skip
"""Our own code, in the order in which its parts need each other."""
UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")
"""What could end a script element, or cannot be written as UTF-8."""


def asset(name: str) -> str:
    """Return a file of this package as text."""
    return files(__package__).joinpath(name).read_text("utf-8")


def styles() -> str:
    """Return the page's styles."""
    return "\n".join(asset(name) for name in STYLES)


def page_script() -> str:
    """Return the page's code as one script with no global names."""
    return _enclosed("\n".join(asset(name) for name in SCRIPTS))


@cache
def chart_script() -> str:
    """Return the chart library as one script that leaves one global name, `vegaEmbed`."""
    import vl_convert

    return _enclosed(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))


def _enclosed(code: str) -> str:
    """Return code as a function that is called at once, with no end of a script element inside."""
    inert = code.replace("\r\n", "\n").replace("</script", r"<\/script").replace("<!--", r"<\!--")
    return f'(() => {{\n"use strict";\n{inert}\n}})();\n'


def policy(scripts: Iterable[str]) -> str:
    """Return a Content-Security-Policy under which these scripts run and no other, and nothing is requested."""
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'; connect-src 'none'"
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def data_element(name: str, value: Any) -> str:
    """Return JSON in a script element that is not run, with its id."""
    return f'<script type="application/json" id="{name}">{as_json(value)}</script>'


def as_json(value: Any) -> str:
    """Return compact JSON that is safe inside a script element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def columnar(rows: Sequence[Row]) -> dict[str, Any]:
    """Return rows as keys and a list of values per key."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    return {"keys": keys, "columns": [[row.get(key) for row in rows] for key in keys]}
