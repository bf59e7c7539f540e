"""The slips of annotators, planted on purpose and written down, so that a search for suspect gold can be judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from making.conll import Document, Sentence, Span, iob2, retag, spans, tags_of
from making.grammar import read_words

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

BEFORE = frozenset(read_words("lists")["before name"])


class Slip(NamedTuple):
    """An entity, the sentence it is in, and what the annotator made of it (nothing, if it was overlooked)."""

    sentence: int
    right: Span
    given: Span | None


@dataclass(frozen=True)
class Annotator:
    """`slip` is the chance of an error in any entity, `stretch` that of taking in an article or a title before it."""

    labels: Sequence[str]
    slip: float
    stretch: float
    rng: random.Random

    def annotate(self, documents: Sequence[Document]) -> tuple[list[Document], list[Slip]]:
        """The documents with errors in their tags, and the list of the errors."""
        slips: list[Slip] = []
        out: list[Document] = []
        number = 0
        for document in documents:
            copy: Document = []
            for sentence in document:
                copy.append(self._sentence(sentence, number, slips))
                number += 1
            out.append(copy)
        return out, slips

    def _sentence(self, sentence: Sentence, number: int, slips: list[Slip]) -> Sentence:
        given: list[Span] = []
        end = 0
        for span in spans(tags_of(sentence)):
            changed = self._slip(sentence, span, end)
            if changed is not None:
                given.append(changed)
                end = changed.end
            if changed != span:
                slips.append(Slip(number, span, changed))
        return retag(sentence, iob2(given, len(sentence)))

    def _slip(self, sentence: Sentence, span: Span, free_from: int) -> Span | None:
        start, end, label = span
        can_stretch = start > free_from and sentence[start - 1].text in BEFORE
        if can_stretch and self.rng.random() < self.stretch:
            return Span(start - 1, end, label)
        if self.rng.random() >= self.slip:
            return span
        how = self.rng.random()
        if how < 0.2:
            return None
        if how < 0.45 and end - start > 1:
            return Span(start, end - 1, label) if self.rng.random() < 0.5 else Span(start + 1, end, label)
        return Span(start, end, self.rng.choice([other for other in self.labels if other != label]))


def slips_table(slips: Sequence[Slip], documents: Sequence[Document]) -> str:
    """The slips as a table with a header; sentences and tokens are counted from 0, ends are exclusive."""
    sentences = [sentence for document in documents for sentence in document]
    rows = ["sentence\tstart\tend\tlabel\ttext\tgold_start\tgold_end\tgold_label"]
    for slip in slips:
        words = " ".join(token.text for token in sentences[slip.sentence][slip.right.start : slip.right.end])
        given = ("", "", "") if slip.given is None else slip.given
        rows.append("\t".join(map(str, (slip.sentence, *slip.right, words, *given))))
    return "\n".join(rows) + "\n"
