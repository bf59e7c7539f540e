"""Texts cut to a length."""


def short(text: str, limit: int = 24) -> str:
    """Return a text cut to at most `limit` characters."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
