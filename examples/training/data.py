"""Text of a made-up language whose entropy is known, so that a loss can be judged.

Each token follows from the one before by a table of four likely successors. A model that has
learned the table reaches `entropy_nats` and cannot get below it.
"""

from collections.abc import Iterator

import numpy as np

_SUCCESSORS = 4
_SHARES = np.array([0.6, 0.2, 0.15, 0.05])


class Language:
    """Draws sequences of tokens; the same seed gives the same language and the same text."""

    def __init__(self, vocabulary: int, seed: int) -> None:
        generator = np.random.default_rng(seed)
        self._successors = np.stack(
            [generator.permutation(vocabulary)[:_SUCCESSORS] for _ in range(vocabulary)]
        )
        self._vocabulary = vocabulary
        self._seed = seed

    @property
    def entropy_nats(self) -> float:
        """The least cross entropy per token that any model can have."""
        return float(-(_SHARES * np.log(_SHARES)).sum())

    def batches(self, count: int, batch: int, length: int, stream: int) -> Iterator[np.ndarray]:
        """`count` batches of [batch, length] tokens; another `stream` is other text."""
        generator = np.random.default_rng([self._seed, stream])
        for _ in range(count):
            tokens = np.empty((batch, length), dtype=np.int32)
            tokens[:, 0] = generator.integers(self._vocabulary, size=batch)
            choices = generator.choice(_SUCCESSORS, size=(batch, length), p=_SHARES)
            for position in range(1, length):
                tokens[:, position] = self._successors[
                    tokens[:, position - 1], choices[:, position]
                ]
            yield tokens
