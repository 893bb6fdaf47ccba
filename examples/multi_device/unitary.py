"""The gradient of a quantum gate's fidelity by its control pulses, in two ways.

A chain of qubits with fixed frequencies and couplings is driven by pulses. Its evolution over the
time of a gate is a product of many small unitary steps, applied to all basis states at once:

    U = S(c_N) ... S(c_2) S(c_1),   S(c) = half(H_0) rotate(c) half(H_0)

where `half` is the fixed diagonal part for half a time step and `rotate` turns every qubit about
x by its pulse c. The loss is one minus the fidelity of U with a target gate.

- TAD, Trotterised automatic differentiation: JAX differentiates the loop and keeps the states of
  all steps, so memory grows with their number.
- LCAM, the local continuous adjoint method: a custom VJP that runs the evolution backwards.
  Because every step can be undone, it recomputes the states from the last one and keeps none.

Both give the same gradient. Columns of U are independent, so devices share them; only the
overlap with the target and the gradient are sums over devices.

Source: SuperGrad (arXiv:2406.18155) compares the two methods for superconducting processors.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from stepscope import profile_scope


class Chain(NamedTuple):
    """The fixed part of a chain of qubits."""

    qubits: int
    half_phases: jax.Array  # [2^qubits] complex: exp(-i H_0 dt / 2), which is diagonal
    dt: float  # one step, in units of the inverse drive


def chain(qubits: int, time_steps: int, gate_time: float = 6.0) -> Chain:
    """A chain with slightly different frequencies and equal couplings of neighbours."""
    dt = gate_time / time_steps
    states = np.arange(2**qubits)
    spins = 1.0 - 2.0 * ((states[:, None] >> np.arange(qubits)) & 1)  # [states, qubits]: +1, -1
    frequencies = 1.0 + 0.1 * np.arange(qubits)
    energy = spins @ frequencies / 2 + 0.2 * (spins[:, 1:] * spins[:, :-1]).sum(axis=1)
    return Chain(qubits, jnp.asarray(np.exp(-0.5j * dt * energy), jnp.complex64), dt)


def step(system: Chain, columns: jax.Array, pulse: jax.Array) -> jax.Array:
    """One step of the evolution: columns [2^qubits, columns], pulse [qubits] in 1 / time."""
    columns = columns * system.half_phases[:, None]
    columns = _rotate(system, columns, pulse)
    return columns * system.half_phases[:, None]


def undo_step(system: Chain, columns: jax.Array, pulse: jax.Array) -> jax.Array:
    """The inverse of `step`, exact up to rounding."""
    columns = columns * system.half_phases.conj()[:, None]
    columns = _rotate(system, columns, -pulse)
    return columns * system.half_phases.conj()[:, None]


def _rotate(system: Chain, columns: jax.Array, pulse: jax.Array) -> jax.Array:
    """exp(-i dt c X) on every qubit, as one small matrix for each half of the chain.

    Matrix products keep the compiler from fusing all qubits into one loop that computes the
    first rotation 2^qubits times.
    """
    lower = system.qubits // 2
    low = _rotations(system.dt * pulse[:lower])
    high = _rotations(system.dt * pulse[lower:])
    parts = columns.reshape(high.shape[0], low.shape[0], columns.shape[1])
    parts = jnp.einsum("hi,ilc->hlc", high, parts)
    return jnp.einsum("lj,hjc->hlc", low, parts).reshape(columns.shape)


def _rotations(angles: jax.Array) -> jax.Array:
    """The Kronecker product of cos(a) - i sin(a) X over the angles; the first qubit is lowest."""
    identity, flip = jnp.eye(2), 1.0 - jnp.eye(2)
    product = jnp.ones((1, 1), jnp.complex64)
    for angle in angles:
        product = jnp.kron(jnp.cos(angle) * identity - 1j * jnp.sin(angle) * flip, product)
    return product


def evolve_tad(system: Chain, columns: jax.Array, pulses: jax.Array) -> jax.Array:
    """The evolution as a plain loop, which JAX differentiates. pulses: [time_steps, qubits]."""

    def body(state: jax.Array, pulse: jax.Array) -> tuple[jax.Array, None]:
        return step(system, state, pulse), None

    return jax.lax.scan(body, columns, pulses)[0]


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _evolve_lcam(
    qubits_and_dt: tuple[int, float],
    half_phases: jax.Array,
    columns: jax.Array,
    pulses: jax.Array,
) -> jax.Array:
    system = Chain(qubits_and_dt[0], half_phases, qubits_and_dt[1])
    return evolve_tad(system, columns, pulses)


def _evolve_lcam_forward(qubits_and_dt, half_phases, columns, pulses):
    final = _evolve_lcam(qubits_and_dt, half_phases, columns, pulses)
    return final, (half_phases, final, pulses)  # the last state is all that is kept


def _evolve_lcam_backward(qubits_and_dt, kept, cotangent):
    half_phases, final, pulses = kept
    system = Chain(qubits_and_dt[0], half_phases, qubits_and_dt[1])

    def body(carry, pulse):
        state, adjoint = carry
        before = undo_step(system, state, pulse)
        _, pull_back = jax.vjp(partial(step, system), before, pulse)
        adjoint, slope = pull_back(adjoint)
        return (before, adjoint), slope

    with profile_scope("adjoint"):
        (_, adjoint), slopes = jax.lax.scan(body, (final, cotangent), pulses, reverse=True)
    # The fixed part of the chain is no parameter here: its gradient is not computed.
    return jnp.zeros_like(half_phases), adjoint, slopes


_evolve_lcam.defvjp(_evolve_lcam_forward, _evolve_lcam_backward)


def evolve_lcam(system: Chain, columns: jax.Array, pulses: jax.Array) -> jax.Array:
    """The same evolution, differentiated by the adjoint method."""
    return _evolve_lcam((system.qubits, system.dt), system.half_phases, columns, pulses)


EVOLUTIONS = {"lcam": evolve_lcam, "tad": evolve_tad}


def infidelity(
    method: str, system: Chain, pulses: jax.Array, columns: jax.Array, target: jax.Array
) -> jax.Array:
    """One minus the fidelity |trace(V' U) / 2^n|^2 of the evolution U with the gate V.

    `columns` and `target` are [devices, 2^qubits, columns of a device]. Each device gets its own
    copy of the pulses: their gradients then stay apart until the loop is over and are added up
    once. With one copy for all, every step of the backward loop ends in an all-reduce.
    """
    copies = jnp.broadcast_to(pulses, (columns.shape[0], *pulses.shape))
    with profile_scope(f"evolve_{method}"):
        final = jax.vmap(partial(EVOLUTIONS[method], system))(columns, copies)
    with profile_scope("fidelity"):
        overlap = jnp.sum(target.conj() * final) / columns.shape[1]
        return 1.0 - jnp.abs(overlap) ** 2


def target_gate(qubits: int) -> np.ndarray:
    """The gate to aim at: the Fourier transform of 2^qubits states."""
    size = 2**qubits
    powers = np.outer(np.arange(size), np.arange(size)) % size
    return (np.exp(2j * np.pi * powers / size) / np.sqrt(size)).astype(np.complex64)
