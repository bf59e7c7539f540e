"""The options of tables and figures for a paper, and their files."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from slicewise.cli.data_options import DataOptions
from slicewise.cli.option import OUTPUT, option
from slicewise.cli.progress import progress
from slicewise.errors import UserError, counted, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slicewise.results.base import Result


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """Where tables and figures for a paper go."""

    latex: Annotated[Path | None, option("--latex", "Every table as a LaTeX file (booktabs).", OUTPUT, "DIR")] = None
    markdown: Annotated[Path | None, option("--markdown", "Every table as a Markdown file.", OUTPUT, "DIR")] = None
    figures: Annotated[Path | None, option("--figures", "Every chart as a file.", OUTPUT, "DIR")] = None
    figure_format: Annotated[str | None, option("--figure-format", "svg, png or pdf; svg.", OUTPUT, "FORMAT")] = None

    @property
    def folders(self) -> "list[Path]":
        """The folders that are written to."""
        return [folder for folder in (self.latex, self.markdown, self.figures) if folder is not None]

    def check(self) -> None:
        """Refuse figures that cannot be drawn, a format that there is not, or one where no figures are written."""
        from slicewise.render.figures import FORMATS, check_can_draw

        if self.figure_format is not None and self.figure_format not in FORMATS:
            formats = ", ".join(FORMATS)
            raise UserError(f"unknown figure format {quoted(self.figure_format)}; expected one of {formats}")
        if self.figure_format is not None and self.figures is None:
            raise UserError("--figure-format says how --figures DIR are written; add --figures DIR")
        if self.figures is not None:
            check_can_draw()

    def write(self, data: DataOptions, results: "Sequence[Result]") -> None:
        """Write every table as a file that can go into a paper; several data sets in folders of their own."""
        from slicewise.render.latex import as_latex
        from slicewise.render.markdown import as_markdown
        from slicewise.results.files import result_folders, safe_name, unique, write_texts

        self._draw(data, results)
        media = [(self.latex, "tex", as_latex), (self.markdown, "md", lambda grid: as_markdown([grid]))]
        for folder, ending, rendered in media:
            if folder is None:
                continue
            for result, place in zip(results, result_folders(folder, [r.data["name"] for r in results]), strict=True):
                grids = result.grids()
                names = unique([safe_name(grid.name or grid.title.lower()) for grid in grids])
                texts = {name: rendered(grid) for name, grid in zip(names, grids, strict=True)}
                for text in texts:
                    data.check_not_read(place / f"{text}.{ending}")
                data.say(f"wrote {counted(len(write_texts(place, texts, ending)), 'table')} to {place}{os.sep}")

    def _draw(self, data: DataOptions, results: "Sequence[Result]") -> None:
        """Write every chart as a file; several data sets in folders of their own."""
        from slicewise.results.files import result_folders, safe_name, unique, write_bytes

        if self.figures is None:
            return
        ending = self.figure_format or "svg"
        for result, place in zip(results, result_folders(self.figures, [r.data["name"] for r in results]), strict=True):
            drawn = [figure for figure in result.figures() if figure.has_chart]
            names = unique([safe_name(figure.name) for figure in drawn])
            for name in names:
                data.check_not_read(place / f"{name}.{ending}")
            with progress(data) as step:
                for i, (name, figure) in enumerate(zip(names, drawn, strict=True), 1):
                    step(f"drawing {name}, {i} of {len(names)}")
                    write_bytes(place / f"{name}.{ending}", figure.rendered(ending))
            data.say(f"wrote {counted(len(names), 'figure')} to {place}{os.sep}")
