"""Three update rules for matrices, written out: manifold Muon, hyperspherical descent, Adam.

An update rule is a pair of functions: `initial_state(parameters)` and
`update(parameters, gradients, state, learning_rate) -> (parameters, state)`.

Sources: J. Bernstein, "Modular Manifolds", Thinking Machines Lab, 2025 (manifold Muon and
hyperspherical descent); K. Jordan, "Muon", 2024 (the matrix sign by iteration);
D. Kingma and J. Ba, "Adam", 2015.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

Tree = Any


class UpdateRule(NamedTuple):
    """An optimizer: its state for given parameters, one update, and a learning rate that works."""

    initial_state: Callable[[Tree], Tree]
    update: Callable[[Tree, Tree, Tree, jax.Array], tuple[Tree, Tree]]
    default_learning_rate: float


# --- manifold Muon -------------------------------------------------------------------------------

_DUAL_STEPS = 8
_DUAL_RATE = 0.3
# Newton-Schulz: steep steps lift small singular values, then steps that converge to one.
_STEEP = (3.4445, -4.7750, 2.0315)
_EXACT = (15 / 8, -10 / 8, 3 / 8)


def matrix_sign(matrix: jax.Array, exact_steps: int = 6) -> jax.Array:
    """The nearest matrix whose singular values are all one: U V' of the matrix U S V'.

    Only matrix products, which accelerators do best. Works on [..., rows, columns].
    """
    is_tall = matrix.shape[-2] >= matrix.shape[-1]
    identity = jnp.eye(min(matrix.shape[-2:]), dtype=matrix.dtype)

    def iterate(x: jax.Array, coefficients: jax.Array) -> tuple[jax.Array, None]:
        a, b, c = coefficients
        gram = x.mT @ x if is_tall else x @ x.mT
        polynomial = a * identity + b * gram + c * gram @ gram
        return (x @ polynomial if is_tall else polynomial @ x), None

    norm = jnp.linalg.norm(matrix, axis=(-2, -1), keepdims=True)
    coefficients = jnp.array([_STEEP] * 4 + [_EXACT] * exact_steps, matrix.dtype)
    return jax.lax.scan(iterate, matrix / (norm + 1e-7), coefficients)[0]


def manifold_muon_step(
    weight: jax.Array, gradient: jax.Array, learning_rate: jax.Array
) -> jax.Array:
    """One step of steepest descent under the spectral norm along the Stiefel manifold.

    The direction A solves: minimize <G, A> with spectral norm one and W'A + A'W = 0. Its dual is
    climbed by gradient steps on a symmetric matrix of multipliers; the step along A is then put
    back on the manifold, W'W = I, by the matrix sign.
    """
    is_wide = weight.shape[-2] < weight.shape[-1]
    w, g = (weight.mT, gradient.mT) if is_wide else (weight, gradient)
    # The rule does not depend on the length of the gradient; the rate of the dual does.
    g = g / (jnp.linalg.norm(g, axis=(-2, -1), keepdims=True) + 1e-12) * jnp.sqrt(g.shape[-1])

    def climb(step: jax.Array, multipliers: jax.Array) -> jax.Array:
        direction = matrix_sign(g + 2 * w @ multipliers, exact_steps=2)
        off_tangent = w.mT @ direction + direction.mT @ w
        return multipliers - _DUAL_RATE * (1 - step / _DUAL_STEPS) * off_tangent

    multipliers = -0.25 * (w.mT @ g + g.mT @ w)
    multipliers = jax.lax.fori_loop(0, _DUAL_STEPS, climb, multipliers)
    direction = matrix_sign(g + 2 * w @ multipliers)
    moved = matrix_sign(w - learning_rate * direction)
    return moved.mT if is_wide else moved


def _by_shape(parameters: dict[str, jax.Array]) -> dict[tuple[int, ...], list[str]]:
    groups: dict[tuple[int, ...], list[str]] = {}
    for name, value in parameters.items():
        groups.setdefault(value.shape, []).append(name)
    return groups


def _manifold_muon(
    parameters: Tree, gradients: Tree, state: Tree, learning_rate: jax.Array
) -> tuple[Tree, Tree]:
    updated = {}
    for names in _by_shape(parameters).values():  # one batched step for matrices of one shape
        weights = jnp.stack([parameters[name] for name in names])
        slopes = jnp.stack([gradients[name] for name in names])
        moved = manifold_muon_step(weights, slopes, learning_rate)
        updated.update({name: moved[index] for index, name in enumerate(names)})
    return {name: updated[name] for name in parameters}, state


# --- hyperspherical descent ----------------------------------------------------------------------


def hyperspherical_step(
    weight: jax.Array, gradient: jax.Array, learning_rate: jax.Array
) -> jax.Array:
    """One step along the sphere of all matrices with the Frobenius norm of `weight`.

    The gradient's part along the weight is taken away, what is left gets the length of the
    radius times the learning rate, and the result is put back on the sphere.
    """
    radius = jnp.linalg.norm(weight)
    normal = weight / radius
    tangent = gradient - jnp.vdot(gradient, normal) * normal
    tangent = tangent / (jnp.linalg.norm(tangent) + 1e-12)
    moved = weight - learning_rate * radius * tangent
    return moved * (radius / jnp.linalg.norm(moved))


def _hyperspherical_descent(
    parameters: Tree, gradients: Tree, state: Tree, learning_rate: jax.Array
) -> tuple[Tree, Tree]:
    moved = jax.tree.map(
        lambda w, g: hyperspherical_step(w, g, learning_rate), parameters, gradients
    )
    return moved, state


# --- Adam ----------------------------------------------------------------------------------------

_DECAY_FIRST, _DECAY_SECOND, _EPSILON = 0.9, 0.999, 1e-8


def _adam_state(parameters: Tree) -> Tree:
    def zeros() -> Tree:  # one each: a buffer can be donated only once
        return jax.tree.map(jnp.zeros_like, parameters)

    return {"count": jnp.zeros((), jnp.int32), "first": zeros(), "second": zeros()}


def _adam(
    parameters: Tree, gradients: Tree, state: Tree, learning_rate: jax.Array
) -> tuple[Tree, Tree]:
    count = state["count"] + 1
    first = jax.tree.map(
        lambda m, g: _DECAY_FIRST * m + (1 - _DECAY_FIRST) * g, state["first"], gradients
    )
    second = jax.tree.map(
        lambda v, g: _DECAY_SECOND * v + (1 - _DECAY_SECOND) * g**2, state["second"], gradients
    )
    first_scale = 1 / (1 - _DECAY_FIRST**count)  # both averages start at zero
    second_scale = 1 / (1 - _DECAY_SECOND**count)
    moved = jax.tree.map(
        lambda w, m, v: (
            w - learning_rate * m * first_scale / (jnp.sqrt(v * second_scale) + _EPSILON)
        ),
        parameters,
        first,
        second,
    )
    return moved, {"count": count, "first": first, "second": second}


UPDATE_RULES = {
    "manifold_muon": UpdateRule(lambda parameters: (), _manifold_muon, 0.1),
    "hyperspherical_descent": UpdateRule(lambda parameters: (), _hyperspherical_descent, 0.1),
    "adam": UpdateRule(_adam_state, _adam, 0.003),
}
