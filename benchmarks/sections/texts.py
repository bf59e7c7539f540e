"""BLEU and chrF of two systems, against sacreBLEU, which makes the statistics of both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import data
from measure import Job, counted, measure, slicewise, work
from report import Comparison, Section

from sections.names import INTERVALS, PLAIN, SPLIT

if TYPE_CHECKING:
    from data import Files
    from plan import Plan

SENTENCES, WORDS = (300, 1_000, 3_000), 25
SACREBLEU = "sacreBLEU, corpus scores"


def section(plan: Plan) -> Section:
    """Measure both metrics at three sizes in turn."""
    jobs = {
        counted(sentences, "sentences"): _jobs(data.translations(plan.folder, sentences=sentences, words=WORDS))
        for sentences in plan.sizes(SENTENCES)
    }
    text = (
        f"BLEU and chrF of 2 systems on sentences of {WORDS} words, from files to printed scores: the English of the "
        "example translations, with words left out, replaced and inserted. sacreBLEU scores each system once, without "
        "intervals and tests: Slicewise calls it too, so it cannot need less."
    )
    measured = measure(jobs, plan.repetitions)
    return Section(
        "Translations", text, [Comparison("Translations", measured, PLAIN, (SACREBLEU,), SPLIT, "sentences")]
    )


def _jobs(files: Files) -> dict[str, Job]:
    command = ["score", "--task", "text", "-m", "bleu", "-m", "chrf", *files.options]
    return {
        PLAIN: slicewise(*command, "--resamples", "0"),
        INTERVALS: slicewise(*command),
        SACREBLEU: work("texts.sacrebleu", *files.paths),
        SPLIT: work("reading.words", *files.paths),
    }
