"""A small causal transformer in plain JAX: every parameter is a matrix.

Norms have no gain and layers no bias, so that an optimizer on a manifold of matrices can take all
of the parameters. Each layer and each part of it has a scope, which the profile shows by name.
"""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from stepscope import profile_scope


@dataclass(frozen=True)
class ModelConfig:
    """Sizes of the model; `compute_type` is what matrix products are done in."""

    vocabulary: int = 64
    sequence: int = 32
    width: int = 64
    heads: int = 4
    layers: int = 2
    compute_type: str = "float32"


Parameters = dict[str, jax.Array]


def initial_parameters(seed: int, config: ModelConfig) -> Parameters:
    """Matrices with orthonormal rows or columns, whichever are fewer; made on the host."""
    width, vocabulary = config.width, config.vocabulary
    shapes = {
        "token_embedding": (vocabulary, width),
        "position_embedding": (config.sequence, width),
        "unembedding": (width, vocabulary),
    }
    for layer in range(config.layers):
        for name in ("query", "key", "value", "output"):
            shapes[f"layer_{layer}/attention/{name}"] = (width, width)
        shapes[f"layer_{layer}/mlp/up"] = (width, 4 * width)
        shapes[f"layer_{layer}/mlp/down"] = (4 * width, width)
    generator = np.random.default_rng(seed)
    return {name: jnp.asarray(_orthonormal(generator, shape)) for name, shape in shapes.items()}


def _orthonormal(generator: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    tall, _ = np.linalg.qr(generator.standard_normal((max(shape), min(shape))))
    return (tall if shape[0] >= shape[1] else tall.T).astype(np.float32)


def loss_and_accuracy(
    parameters: Parameters, tokens: jax.Array, config: ModelConfig
) -> tuple[jax.Array, jax.Array]:
    """Mean cross entropy in nats, and the share of right guesses, of each next token.

    `tokens` is [batch, sequence + 1] integers.
    """
    with profile_scope("forward_pass"):
        scores = _logits(parameters, tokens[:, :-1], config)
    with profile_scope("loss_computation"):
        targets = tokens[:, 1:]
        log_shares = jax.nn.log_softmax(scores)
        loss = -jnp.take_along_axis(log_shares, targets[..., None], axis=-1).mean()
        accuracy = (scores.argmax(axis=-1) == targets).mean()
    return loss, accuracy


def _logits(parameters: Parameters, tokens: jax.Array, config: ModelConfig) -> jax.Array:
    with profile_scope("embedding"):
        hidden = parameters["token_embedding"][tokens] + parameters["position_embedding"]
    for layer in range(config.layers):
        with profile_scope(f"layer_{layer}"):
            hidden = _layer(parameters, f"layer_{layer}", hidden, config)
    with profile_scope("lm_head"):
        return _product(_norm(hidden), parameters["unembedding"], config)


def _layer(
    parameters: Parameters, prefix: str, hidden: jax.Array, config: ModelConfig
) -> jax.Array:
    with profile_scope("attention"):
        hidden = hidden + _attention(parameters, f"{prefix}/attention", _norm(hidden), config)
    with profile_scope("mlp"):
        up = _product(_norm(hidden), parameters[f"{prefix}/mlp/up"], config)
        return hidden + _product(jax.nn.gelu(up), parameters[f"{prefix}/mlp/down"], config)


def _attention(
    parameters: Parameters, prefix: str, hidden: jax.Array, config: ModelConfig
) -> jax.Array:
    batch, sequence, width = hidden.shape
    heads = (batch, sequence, config.heads, width // config.heads)
    query, key, value = (
        _product(hidden, parameters[f"{prefix}/{name}"], config).reshape(heads)
        for name in ("query", "key", "value")
    )
    mixed = jax.nn.dot_product_attention(query, key, value, is_causal=True)
    mixed = mixed.reshape(batch, sequence, width)
    return _product(mixed, parameters[f"{prefix}/output"], config)


def _norm(hidden: jax.Array) -> jax.Array:
    """Root mean square one, in every position."""
    return hidden * jax.lax.rsqrt(jnp.mean(hidden**2, axis=-1, keepdims=True) + 1e-6)


def _product(left: jax.Array, right: jax.Array, config: ModelConfig) -> jax.Array:
    compute_type = jnp.dtype(config.compute_type)
    product = jnp.matmul(
        left.astype(compute_type),
        right.astype(compute_type),
        preferred_element_type=jnp.float32,
    )
    return product.astype(jnp.float32)
