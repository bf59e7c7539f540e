"""A case: files and a command line."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PIPE = re.compile(r"<\(cat ([^()]*)\)")
WRITTEN = {"--json", "--csv", "--output", "--latex", "--markdown", "--figures", "--write-ensemble", "--write-suspects"}
"""Options that name what is written."""
Option = tuple[str, ...]
"""What belongs together on a command line: an option with its value, or a single word."""


def _quoted(word: str) -> str:
    """Quote a word for bash, but not what stands for a pipe."""
    pipe = PIPE.search(word)
    if pipe is None:
        return "<" if word == "<" else shlex.quote(word)
    before, after = word[: pipe.start()], word[pipe.end() :]
    return (shlex.quote(before) if before else "") + pipe[0] + (shlex.quote(after) if after else "")


@dataclass(frozen=True)
class Case:
    """Files by their names in an empty folder, and what is run there; the first option is the command.

    As in bash, `<(cat FILE)` is a pipe with a file's content, and the words `<` and FILE give it as standard input.
    """

    files: Mapping[str, bytes]
    options: tuple[Option, ...]

    @property
    def command(self) -> str:
        """The command, such as `score`."""
        return self.options[0][0]

    @property
    def arguments(self) -> list[str]:
        """The words of the command line."""
        return [word for option in self.options for word in option]

    @property
    def line(self) -> str:
        """The command line as bash reads it."""
        return " ".join(["slicewise", *(_quoted(word) for word in self.arguments)])

    @property
    def size(self) -> int:
        """How large it is: bytes of the files, and characters of the command line."""
        return sum(map(len, self.files.values())) + len(self.line)

    @property
    def used(self) -> dict[str, bytes]:
        """The files that the command line, or a configuration file that it names, speaks of."""
        return self._spoken_of(self.arguments)

    @property
    def read(self) -> dict[str, bytes]:
        """The files that are read: those that it speaks of other than to write them."""
        return self._spoken_of([word for option in self.options if option[0] not in WRITTEN for word in option])

    def _spoken_of(self, arguments: Sequence[str]) -> dict[str, bytes]:
        words = "\n".join(arguments).encode(errors="replace")
        configured = b"\n".join(data for name, data in self.files.items() if ".toml" in name and name.encode() in words)
        spoken = words + b"\n" + configured
        folders = {name.partition("/")[0] + "/" for name in self.files if "/" in name}
        read = {folder for folder in folders if folder.encode() in spoken or folder[:-1].encode() in spoken}
        return {
            name: data
            for name, data in self.files.items()
            if name.encode() in spoken or any(name.startswith(folder) for folder in read)
        }

    def value(self, name: str) -> str | None:
        """Return the value of an option, the last where it is repeated."""
        return next((option[1] for option in reversed(self.options) if len(option) == 2 and option[0] == name), None)

    def with_file(self, name: str, data: bytes) -> Case:
        """Return the case with another content of a file."""
        return replace(self, files={**self.files, name: data})

    def renamed(self, old: str, new: str, data: bytes) -> Case:
        """Return the case with a file under another name, in the command line and in configuration files too."""
        files = {new if name == old else name: data if name == old else held for name, held in self.files.items()}
        whole = rf"(?<![\w./]){re.escape(old)}(?![\w.])"
        spoken = {
            name: re.sub(whole.encode(), lambda _: new.encode(), held)
            for name, held in files.items()
            if ".toml" in name
        }
        options = tuple(tuple(re.sub(whole, lambda _: new, word) for word in option) for option in self.options)
        return Case(files | spoken, options)
