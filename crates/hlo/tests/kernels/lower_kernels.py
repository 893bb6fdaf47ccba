"""Lowers Pallas kernels for TPU and GPU, on any machine: `python lower_kernels.py FOLDER`.

Nothing runs. Writes FOLDER/tpu.hlo_proto.pb, with four kernels of Mosaic, and
FOLDER/triton.hlo_proto.pb, with one kernel of Triton, as programs before optimization.
"""

import pathlib
import sys

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as pltriton
from jax.interpreters import mlir as jax_mlir
from jax._src.lib import xla_client

jax.config.update("jax_hlo_source_file_canonicalization_regex", "^.*/")


def matmul_kernel(a, b, out, sums):
    @pl.when(pl.program_id(2) == 0)
    def _():
        sums[...] = jnp.zeros_like(sums)

    sums[...] += jnp.dot(a[...], b[...], preferred_element_type=jnp.float32)

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        out[...] = sums[...].astype(out.dtype)


def blocked_matmul(a, b):
    """Blocks, scratch, an estimate of cost, a limit of VMEM."""
    return pl.pallas_call(
        matmul_kernel,
        grid=(4, 2, 8),
        in_specs=[
            pl.BlockSpec((256, 128), lambda i, j, k: (i, k)),
            pl.BlockSpec((128, 512), lambda i, j, k: (k, j)),
        ],
        out_specs=pl.BlockSpec((256, 512), lambda i, j, k: (i, j)),
        out_shape=jax.ShapeDtypeStruct((1024, 1024), jnp.bfloat16),
        scratch_shapes=[pltpu.VMEM((256, 512), jnp.float32)],
        compiler_params=pltpu.CompilerParams(
            dimension_semantics=("parallel", "parallel", "arbitrary"),
            vmem_limit_bytes=64 << 20,
        ),
        cost_estimate=pl.CostEstimate(
            flops=2 * 1024**3, bytes_accessed=6 << 20, transcendentals=0
        ),
        name="blocked_matmul",
    )(a, b)


def gather_kernel(rows, table, out, buffer, semaphore):
    row = rows[pl.program_id(0)]
    copy = pltpu.make_async_copy(table.at[pl.ds(row, 8)], buffer, semaphore)
    copy.start()
    copy.wait()
    out[...] = buffer[...]


def gather_rows(rows, table):
    """Prefetched scalars, an operand that stays where it is, a semaphore."""
    return pl.pallas_call(
        gather_kernel,
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1,
            grid=(16,),
            in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
            out_specs=pl.BlockSpec((8, 128), lambda i, rows: (rows[i], 0)),
            scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32), pltpu.SemaphoreType.DMA],
        ),
        out_shape=jax.ShapeDtypeStruct((128, 128), jnp.float32),
        name="gather_rows",
    )(rows, table)


def double_kernel(x, out):
    out[...] = x[...] * 2


def double(x):
    """Neither grid nor blocks."""
    return pl.pallas_call(
        double_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), name="double"
    )(x)


def odd_columns(count, x):
    """A grid whose size is known only at run time."""
    return pl.pallas_call(
        double_kernel,
        grid=(count, 2),
        in_specs=[pl.BlockSpec((8, 128), lambda i, j: (i, j * 2 + 1))],
        out_specs=pl.BlockSpec((8, 128), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((1024, 256), x.dtype),
        name="odd_columns",
    )(x)


def tpu(a, rows, count, x):
    table = blocked_matmul(a, a)[:, :128].astype(jnp.float32)
    return double(gather_rows(rows, table)), odd_columns(count, x)


def add_kernel(x, y, out):
    out[...] = x[...] + y[...]


def gpu(x, y):
    return pl.pallas_call(
        add_kernel,
        grid=(8,),
        in_specs=[pl.BlockSpec((128,), lambda i: (i,))] * 2,
        out_specs=pl.BlockSpec((128,), lambda i: (i,)),
        out_shape=jax.ShapeDtypeStruct((1024,), jnp.float32),
        compiler_params=pltriton.CompilerParams(num_warps=4, num_stages=2),
        cost_estimate=pl.CostEstimate(flops=1024, bytes_accessed=12288, transcendentals=0),
        name="add_vectors",
    )(x, y)


def shaped(shape, dtype):
    return jax.ShapeDtypeStruct(shape, dtype)


def write(path, function, arguments, platform):
    lowered = jax.jit(function).trace(*arguments).lower(lowering_platforms=(platform,))
    text = jax_mlir.module_to_bytecode(lowered.compiler_ir("stablehlo"))
    computation = xla_client._xla.mlir.mlir_module_to_xla_computation(
        text, use_tuple_args=False, return_tuple=False
    )
    module = computation.as_serialized_hlo_module_proto()
    # HloProto { hlo_module = 1 }
    length = len(module)
    prefix = bytearray([0x0A])
    while length >= 0x80:
        prefix.append(length & 0x7F | 0x80)
        length >>= 7
    prefix.append(length)
    path.write_bytes(bytes(prefix) + module)


def main():
    folder = pathlib.Path(sys.argv[1])
    arguments = (
        shaped((1024, 1024), jnp.bfloat16),
        shaped((16,), jnp.int32),
        shaped((), jnp.int32),
        shaped((1024, 512), jnp.float32),
    )
    write(folder / "tpu.hlo_proto.pb", tpu, arguments, "tpu")
    vector = shaped((1024,), jnp.float32)
    write(folder / "triton.hlo_proto.pb", gpu, (vector, vector), "cuda")


if __name__ == "__main__":
    main()
