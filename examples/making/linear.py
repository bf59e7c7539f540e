"""A linear model for several labels that learns from its errors: the averaged perceptron."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class Averaged:
    """Weights and the sums that make their average over all steps."""

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = list(labels)
        self.weights: dict[str, list[float]] = {}
        self._sums: dict[str, list[float]] = {}
        self._step = 1

    def scores(self, features: Sequence[str]) -> list[float]:
        """The score of each label."""
        total = [0.0] * len(self.labels)
        for feature in features:
            weights = self.weights.get(feature)
            if weights is not None:
                total = [a + b for a, b in zip(total, weights, strict=True)]
        return total

    def predict(self, features: Sequence[str]) -> str:
        """The best label; the first of equals."""
        scores = self.scores(features)
        return self.labels[scores.index(max(scores))]

    def learn(self, features: Sequence[str], gold: str) -> str:
        """Predicts, corrects the weights if that was wrong, and returns the prediction."""
        guess = self.predict(features)
        if guess != gold:
            right, wrong = self.labels.index(gold), self.labels.index(guess)
            for feature in features:
                weights = self.weights.setdefault(feature, [0.0] * len(self.labels))
                sums = self._sums.setdefault(feature, [0.0] * len(self.labels))
                for index, change in ((right, 1.0), (wrong, -1.0)):
                    weights[index] += change
                    sums[index] += change * self._step
        self._step += 1
        return guess

    def averaged(self) -> Averaged:
        """The model with the mean of all its weights over time."""
        mean = Averaged(self.labels)
        for feature, weights in self.weights.items():
            sums = self._sums[feature]
            mean.weights[feature] = [w - s / self._step for w, s in zip(weights, sums, strict=True)]
        return mean
