"""Values that programs trip over."""

from __future__ import annotations

LONG_NUMBER = "9" * 5000
"""More digits than Python turns into an integer."""

BYTES: tuple[bytes, ...] = (
    b"\0", b"\r", b"\n", b"\r\n", b"\t", b" ", b"\xef\xbb\xbf", b"\xff", b"\xc3", b"\xed\xa0\xbd", b"\xe2\x80\xa8",
    b"\xc2\x85", b"\x0b", b"\x0c", b"\x1b[31m", b"\xe2\x80\xae", b"\xd7\x90", b"\xf0\x9f\x98\x80", b"e\xcc\x81",
    b'"', b"'", b",", b";", b":", b"#", b"=", b"\\", b"{", b"[", b"]", b"}", b"-", b"O", b"0", b"1e400", b"NaN",
    b"Infinity", b"null", b"\x01", b"\x1f\x8b", b"PAR1", b"BZh9", b"\xff\xfe", b"<script>", b"__UNKNOWN__",
    b"99999999999999999999",
)  # fmt: skip
"""Bytes to put anywhere."""

CELLS: tuple[str, ...] = (
    "", " ", "O", "B-", "I-", "-", "B", "I", "B-PER", "I-LOC", "E-PER", "S-ORG", "U-X", "L-X", "M-X", "B-B-B",
    "-DOCSTART-", "#", "# x", "_", "NaN", "nan", "inf", "-inf", "1e400", "1e308", "-1e308", "1e90", "5e-324", "0",
    "-0.0", "1", "2", "-1", "0.5", "true", "False", "null", "None", "²", "٣", "1_000", "0x10", "1,5", "9" * 30, "label",
    "text", "gold", "pred", "token", "score", "item", "start", "end", "tokens", "[", "[1]", '{"a": 1}', '"', '""',
    '"a', "'", "a,b", "a;b", "=1+1", "+1", "@x", "-x", "\x1b[1m", "\u202eabc", "א", "\u2028", "\u0085", "\ufeff",
    "e\u0301", "😀", "\x01", "a\rb", "a" * 3000, "~~", "in:x", "*", "**", "..", "a.b", "a|b", "a|||b", "0.1 0.2",
    "-1 -2", "A:0.5", "A:x", "\\", "%", "${x}", "\u00a0", "\u200b",
)  # fmt: skip
"""Cells, tags, tokens, labels, lines."""

NAMES: tuple[str, ...] = (
    "start", "end", "label", "item", "score", "text", "tokens", "spans", "tags", "labels", "output", "gold", "doc",
    "cluster", "system", "unit", "confidence", "length", "id", "", " ", "1", "a.b", "in", "exp", "out", "col2", "A",
    "a", "kind", "n", "__index", "literal", "name", "value", "count", "bucket", "error", "x" * 300, "\x1b", "é",
)  # fmt: skip
"""Names of fields and columns, those that programs use themselves among them."""

JSON: tuple[str, ...] = (
    "null", "true", "false", "0", "1", "-1", "0.5", "1e400", "-1e400", "1e308", "NaN", "Infinity", "-Infinity",
    "9" * 25, LONG_NUMBER, "-0.0", "1e-400", '""', '" "', '"O"', '"B-PER"', '"x"', '"[1]"', '"[x"', '"{}"',
    '"\\ud83d"', '"\\u0000"', '"\\u2028"', '"\\u001b[1m"', '"a\\nb"', '"a\\tb"', '"\\r"', '"NaN"', '"1"', '"é"',
    '"😀"', "[]", "[[]]", "[null]", "[1]", '["a"]', '["a", 1]', '["a", null]', "[[1, 2], [3]]", "{}", '{"a": 1}',
    '{"a": {"b": 1}}', '{"a": null}', '{"start": 0, "end": 1, "label": "X"}',
    '[{"start": 0, "end": 1, "label": "X"}]', '[{"start": 1, "end": 0}]',
    '[{"start": -1, "end": 99, "label": null}]', '[{"start": 0, "end": 1, "label": "X", "text": "y"}]',
    '[{"start": "0", "end": 1.5, "label": 3}]', '[{"start": 0, "end": 9223372036854775808, "label": "X"}]',
    "[" * 300 + "]" * 300, '{"a":' * 60 + "1" + "}" * 60, "[" * 3000, '"' + "a" * 3000 + '"', "01", "1.", ".5",
    "+1", "'x'", "undefined",
)  # fmt: skip
"""JSON values, and what is nearly JSON."""

ABSENT: tuple[str, ...] = ("null", "NaN", '""', "[]", "{}", "0", "false", '" "', '"a\\tb"', "0.5", '"x"', "[null]")
"""JSON values that say nothing, or little."""

WORDS: tuple[str, ...] = (
    "", " ", "-", "--", "x", "NaN", "inf", "-inf", "0", "-1", "1", "2", "0.5", "1e309", "1e-320", "9" * 20,
    LONG_NUMBER, "²", "٣", "1_0", "0x1", ",", "a,b", "a,a", ",,", "=", "x=", "=x", "x=y", "x=y=z", ":", "::", "x:",
    ":x", "a", "a,b,c", "all", "core", "auto", "None", "null", "true", "\x1b[31m", "\u202e", "😀", "é", "a" * 300,
    "*", "[", "(", "s/a/b/", "s/(/b/", "s/a/\\9/", "../x", "/", "/dev/null", ".", "%", "25%", "101%", "-5%", "\n",
    "\t", "in:a", "exp:1", "exp:A~~in:a", "#", "quantile(3)", "width(0)", "values", "quantile(99999999999)",
)  # fmt: skip
"""Values of options."""

COLUMNS: tuple[str, ...] = (
    "1", "2", "3", "0", "-1", "99", "²", "٣", LONG_NUMBER, "9" * 20, "", " ", "label", "Label", "text", "pred",
    "nosuch", "a.b", "1.1", "label.x", ".", "..", "a:b", "*", "spans", "tokens", "tags",
)  # fmt: skip
"""What may stand behind the colon of FILE:COLUMN."""
