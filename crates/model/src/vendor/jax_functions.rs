//! Functions of JAX's own library that it compiles on their own when a program calls them outside of
//! `jit`, such as `jnp.sum`: each is an op of the program, not a function of it.
//!
//! Source: functions with `@jit` in `jax/_src/{numpy,nn,random,lax,image}` of JAX 0.4 to 0.12. Private names
//! are enough; a program may have a `norm` or a `softmax` of its own, so that more is asked of those.

/// What their names begin with.
const PREFIXES: [&str; 5] = ["_reduce_", "_threefry", "_philox", "_searchsorted_", "_nan"];

const NAMES: [&str; 44] = [
    "_argmax",
    "_argmin",
    "_average",
    "_bernoulli",
    "_broadcast_arrays",
    "_cumsum_with_promotion",
    "_diag",
    "_dirichlet",
    "_einsum",
    "_exponential",
    "_flip",
    "_gather",
    "_geomspace",
    "_gumbel",
    "_identity",
    "_in1d",
    "_intersect1d_size",
    "_intersect1d_sorted_mask",
    "_laplace",
    "_linspace",
    "_logspace",
    "_mean",
    "_moveaxis",
    "_multi_slice",
    "_multivariate_normal",
    "_normal",
    "_normal_real",
    "_one_hot",
    "_pad",
    "_piecewise",
    "_poisson",
    "_rademacher",
    "_randint",
    "_roll_dynamic",
    "_roll_static",
    "_shuffle",
    "_squeeze",
    "_std",
    "_take",
    "_truncated_normal",
    "_uniform",
    "_unique_sorted_mask",
    "_var",
    "_where",
];

/// Whether a program is one of them, by the name of its module.
pub(crate) fn is_jax_function(module: &str) -> bool {
    let Some(name) = module.strip_prefix("jit_") else {
        return false;
    };
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Public functions and primitives, which may be several ops, above all with their derivatives; the compiler
/// makes one of these. From what `jax.{numpy,nn,lax,random,image,scipy}` of JAX 0.12 compiles.
const PUBLIC: &str = "abs absolute acos acosh add allclose angle append arccos arccosh arcsin arcsinh arctan \
    arctan2 arctanh argmax argmin argpartition argsort around asin asinh atan atan2 atanh \
    atleast_1d atleast_2d atleast_3d bessel_jn bitwise_and bitwise_count bitwise_invert \
    bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor block block_diag \
    cbrt ceil celu cholesky clip cond conjugate convolution_matrix convolve copysign corrcoef \
    correlate cos cosh count_nonzero cov cross cumlogsumexp cummax cummin cumprod cumsum deg2rad \
    det dft diagonal diff digitize div divmod dot dot_general dynamic_index_in_dim \
    dynamic_update_index_in_dim ediff1d eigh eigh_tridiagonal eigvals eigvalsh elu equal erf \
    erf_inv erfc exp exp2 expm expm1 expm_frechet fabs fft float_power floor floor_divide fmax \
    fmin fmod frexp gammasgn gcd gelu glu gradient greater greater_equal hadamard hard_sigmoid \
    hard_silu hard_swish hard_tanh heaviside helmert hessenberg hilbert hypot i0 identity imag \
    inner integer_pow inv invert invhilbert invpascal isclose iscomplex isfinite isinf isnan \
    isreal kron lcm ldexp leaky_relu left_shift less less_equal lexsort log log10 log1p log2 \
    log_sigmoid log_softmax logaddexp logaddexp2 logical_and logical_not logical_or logical_xor \
    logistic logmeanexp logsumexp lu lu_factor lu_solve matmul matrix_power matrix_rank matvec \
    max maximum mean median min minimum mish modf mul multiply nan_to_num nancumprod nancumsum \
    nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar neg \
    negative nextafter norm not_equal one_hot outer packbits partition pascal percentile polar \
    poly polyadd polyder polyfit polyint polysub polyval positive pow power prod put_along_axis \
    qr quantile rad2deg ravel real reciprocal relu relu6 rem remainder resize right_shift rint \
    rollaxis rot90 round rsf2csf rsqrt searchsorted select_n selu sigmoid sign signbit silu sin \
    sinc sinh slogdet soft_sign softmax softplus solve solve_sylvester sort sort_complex spacing \
    sparse_plus sparse_sigmoid sqrt square squareplus standardize std sub subtract sum svd \
    swapaxes swish take_along_axis tan tanh top_k trace trapezoid tril triu true_divide trunc \
    unpackbits unstack unwrap vander var vdot vecmat where";

/// Whether a program has the name of a public function of JAX. A program may have such a function of its
/// own.
pub(crate) fn is_library_op(module: &str) -> bool {
    let name = module.strip_prefix("jit_");
    name.is_some_and(|name| PUBLIC.split_whitespace().any(|public| public == name))
}

#[cfg(test)]
mod tests {
    use super::is_jax_function;

    #[test]
    fn functions_of_a_program_are_its_own() {
        assert!(is_jax_function("jit__reduce_sum"));
        assert!(is_jax_function("jit__threefry_split_foldlike"));
        assert!(is_jax_function("jit__where"));
        for own in ["jit_step", "jit__step", "jit__update", "jit_sum", "_where"] {
            assert!(!is_jax_function(own), "{own}");
        }
    }
}
