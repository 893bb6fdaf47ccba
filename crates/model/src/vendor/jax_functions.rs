//! Functions of JAX's own library that it compiles on their own when a program calls them outside of
//! `jit`, such as `jnp.sum`: each is an op of the program, not a function of it.
//!
//! Source: functions with `@jit` in `jax/_src/{numpy,random,lax,image}` of JAX 0.4 to 0.12. Only private
//! names: a program may have a `norm` or a `softmax` of its own.

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
