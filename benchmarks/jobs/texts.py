"""Scores of translations, by sacreBLEU alone."""

from __future__ import annotations

from pathlib import Path


def sacrebleu(reference: str, *systems: str) -> None:
    """Print BLEU and chrF of each system."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    references = [Path(reference).read_text(encoding="utf-8").splitlines()]
    for system in systems:
        output = Path(system).read_text(encoding="utf-8").splitlines()
        scores = (metric.corpus_score(output, references).score for metric in (BLEU(), CHRF()))
        print(*(repr(float(score)) for score in scores))
