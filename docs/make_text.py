"""Write again what the pages show: options and signatures as they are, output as the commands print it."""

from __future__ import annotations

import inspect
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
from difflib import SequenceMatcher
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- options -->\n", "<!-- end of options -->"
EXAMPLE = re.compile(r"```\n(slicewise [^`]*)```\n\n```\n(.*?)```", re.DOTALL)
SIGNATURE = re.compile(r"```\nslicewise\.([\w.]+)\([^`]*```")
PART = re.compile(r"\n\n|\n…\n|\n(?=• )")
FILES = {
    "examples": "",
    "test.conll": "chat/test.conll",
    "train.conll": "chat/train.conll",
    "crf.conll": "chat/systems/crf.1.conll",
    "crf-char.conll": "chat/systems/crf-char.1.conll",
    "hmm.conll": "chat/systems/hmm.conll",
    "perceptron.conll": "chat/systems/perceptron.conll",
    "test.tsv": "sentiment/test.tsv",
    "bayes.txt": "sentiment/systems/bayes.txt",
}
"""What the files that the pages name are, in the folder of the examples."""


def pages() -> list[Path]:
    """Return the pages that show commands."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]


def examples(text: str) -> list[tuple[str, str]]:
    """Return the commands of a page that are followed by what they print, and that; not those with code of your own."""
    found = [(one[1].strip(), one[2].rstrip("\n")) for one in EXAMPLE.finditer(text)]
    return [(command, shown) for command, shown in found if "mine.py" not in command]


def parts(shown: str) -> list[str]:
    """Return the parts of what is shown: paragraphs, findings, tables whose last rows may be left out."""
    return [part for part in PART.split(shown.removesuffix("\n…")) if part]


def link_files(folder: Path) -> None:
    """Make a folder in which the commands of the pages can be run."""
    for name, file in FILES.items():
        (folder / name).symlink_to(ROOT / "examples" / file)


def printed(command: str, folder: Path) -> str:
    """Run a command of a page and return what it prints."""
    words = shlex.split(command.replace("\\\n", " "))
    return subprocess.run([sys.executable, "-m", *words], cwd=folder, capture_output=True, text=True, check=True).stdout  # noqa: S603


def renewed(shown: str, output: str) -> str:
    """Return what is shown with every part as it is printed now."""
    for part in parts(shown):
        if f"{part}\n" not in output:
            shown = shown.replace(part, _now(part, output))
    return shown


def _now(part: str, output: str) -> str:
    """Return the part of the output that is most like another, numbers aside; of a table as many rows."""
    best = max(PART.split(output), key=lambda other: _alike(part, "\n".join(other.split("\n")[: part.count("\n") + 1])))
    return best if part.startswith("• ") else "\n".join(best.split("\n")[: part.count("\n") + 1])


def _alike(a: str, b: str) -> float:
    return SequenceMatcher(None, re.sub(r"[\d\s]", "", a), re.sub(r"[\d\s]", "", b), autojunk=False).ratio()


def options(name: str) -> str:
    """Return the options of a command as a table, in the order of its help."""
    import typer.main

    from slicewise.cli import app

    command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    rows = [_row(one) for one in command.params if not getattr(one, "hidden", False)]
    if not rows:
        return "It takes no options but `--help`.\n"
    return "\n".join(["| option | what | group |", "|---|---|---|", *rows, ""])


def _row(option: object) -> str:
    names = ", ".join(f"`{name}`" for name in option.opts)  # type: ignore[attr-defined]
    value = f" `{option.metavar}`" if option.metavar else ""  # type: ignore[attr-defined]
    what, group = option.help, option.rich_help_panel  # type: ignore[attr-defined]
    return f"| {names}{value.replace('|', chr(92) + '|')} | {what.replace('|', chr(92) + '|')} | {group} |"


def with_options(text: str, name: str) -> str:
    """Return a command's page with its table of options as it is now."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{options(name)}\n{END}{after}"


def signature(name: str) -> str:
    """Return how a public function is called: its parameters with what they are unless given, and what it returns."""
    import slicewise

    function = slicewise
    for part in name.split("."):
        function = getattr(function, part)
    found = inspect.signature(function)  # type: ignore[arg-type]
    bare = [one.replace(annotation=inspect.Parameter.empty) for one in found.parameters.values()]
    plain = found.replace(parameters=bare, return_annotation=inspect.Signature.empty)
    returned = str(found.return_annotation).replace("Self", "Evaluation")
    return "\n".join(textwrap.wrap(f"slicewise.{name}{plain} -> {returned}", 110, subsequent_indent="    "))


def with_signatures(text: str) -> str:
    """Return a page with every signature as it is now."""
    return SIGNATURE.sub(lambda one: f"```\n{signature(one[1])}\n```", text)


def main() -> None:
    """Write all pages again."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        link_files(folder)
        outputs: dict[str, str] = {}
        for page in pages():
            text = page.read_text(encoding="utf-8")
            now = with_signatures(text)
            now = with_options(now, page.stem) if page.parent.name == "commands" else now
            for command, shown in examples(text):
                if command not in outputs:
                    outputs[command] = printed(command, folder)
                now = now.replace(shown, renewed(shown, outputs[command]))
            if now != text:
                page.write_text(now, encoding="utf-8")
                sys.stderr.write(f"wrote {page.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
