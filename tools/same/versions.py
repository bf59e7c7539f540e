"""The two versions' code, beside each other: a revision in a worktree of its own, and a copy of the working tree."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

from same.data_sets import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class RevisionError(Exception):
    """What was given is no revision, or has no code."""


@contextmanager
def checked_out(revision: str, folder: Path) -> Iterator[Path]:
    """Check a revision out into a folder, return its code, and leave no worktree behind."""
    try:
        added = _git("worktree", "add", "--detach", str(folder), revision)
        if added.returncode:
            raise RevisionError(added.stderr.strip())
        if not (folder / "src" / "slicewise").is_dir():
            raise RevisionError(f"{revision} has no src/slicewise")
        yield folder / "src"
    finally:
        _git("worktree", "remove", "--force", "--force", str(folder))  # twice: also one that is half made


def copied(folder: Path) -> Path:
    """Copy the working tree's code, so that it can be edited while it runs, and return the copy."""
    return shutil.copytree(ROOT / "src", folder, ignore=shutil.ignore_patterns("__pycache__"))


def described(revision: str) -> str:
    """Return a revision with its short hash."""
    return f"{revision} ({_git('rev-parse', '--short', revision).stdout.strip()})"


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run git in a session of its own: Ctrl-C does not stop it half way."""
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, start_new_session=True)
