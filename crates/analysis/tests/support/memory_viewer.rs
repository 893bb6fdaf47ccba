//! What XProf 2.24.2 answers for programs of the corpus, asked for once: `memory_viewer` with each
//! program and memory space. In bytes; XProf prints them in MiB, which is exact.

/// Capture, program, memory space, peak, all allocations, arguments, possible results, points.
pub(crate) type Answer = (&'static str, &'static str, i64, i64, i64, i64, i64, usize);

/// Programs whose peak is above 2 MiB or that have a heap trace.
#[rustfmt::skip] // one line each, to be read as a table
pub(crate) const ANSWERS: &[Answer] = &[
    ("cpu-jax-gpt8", "jit__normal(10)", 0, 1_048_696, 1_049_400, 8, 262_144, 95),
    ("cpu-jax-gpt8", "jit__normal(14)", 0, 786_552, 787_256, 8, 196_608, 95),
    ("cpu-jax-gpt8", "jit__normal(18)", 0, 262_264, 262_968, 8, 65_536, 95),
    ("cpu-jax-gpt8", "jit__normal(22)", 0, 1_048_696, 1_049_400, 8, 262_144, 95),
    ("cpu-jax-gpt8", "jit__threefry_split(4)", 0, 480, 1352, 8, 144, 95),
    ("cpu-jax-gpt8", "jit_step(48)", 0, 16_621_056, 16_623_376, 5_506_068, 5_505_456, 323),
    ("cpu-jax-gpt8", "jit_step(86)", 0, 16_621_056, 16_623_376, 5_506_068, 5_505_456, 323),
    ("cpu-jax-mlp", "jit__normal(4)", 0, 1_605_752, 1_606_456, 8, 401_408, 95),
    ("cpu-jax-mlp", "jit__randint(6)", 0, 3268, 4496, 16, 512, 279),
    ("cpu-jax-mlp", "jit__threefry_fold_in(10)", 0, 152, 1028, 12, 8, 89),
    ("cpu-jax-mlp", "jit__truncated_normal(18)", 0, 6_422_664, 6_423_488, 16, 1_605_632, 99),
    ("cpu-jax-mlp", "jit__truncated_normal(44)", 0, 4_194_440, 4_195_264, 16, 1_048_576, 99),
    ("cpu-jax-mlp", "jit__truncated_normal(50)", 0, 82_056, 82_880, 16, 20_480, 99),
    ("cpu-jax-mlp", "jit_dot_general(24)", 0, 2_269_184, 2_269_184, 2_007_040, 262_144, 0),
    ("cpu-jax-mlp", "jit_multiply(20)", 0, 3_211_268, 3_211_268, 1_605_636, 1_605_632, 0),
    ("cpu-jax-mlp", "jit_multiply(46)", 0, 2_097_156, 2_097_156, 1_048_580, 1_048_576, 0),
    ("cpu-jax-mlp", "jit_step(70)", 0, 29_082_636, 29_082_696, 14_742_140, 14_340_480, 5),
    ("mi300x-jax-conv", "jit__multi_slice(13)", 0, 102_236_224, 102_236_288, 51_118_080, 51_118_144, 0),
    ("mi300x-jax-conv", "jit__normal(9)", 0, 51_118_092, 51_118_092, 8, 51_118_080, 3),
    ("mi300x-jax-conv", "jit_forward_3d_conv(15)", 0, 1_158_144_000, 1_158_144_128, 7_045_120, 572_026_880, 7),
    ("mi300x-jax-gemm", "jit_broadcast_in_dim(19)", 0, 2_097_154, 2_097_154, 2, 2_097_152, 0),
    ("mi300x-jax-gemm", "jit_broadcast_in_dim(32)", 0, 33_554_434, 33_554_434, 2, 33_554_432, 0),
    ("mi300x-jax-gemm", "jit_broadcast_in_dim(45)", 0, 67_108_866, 67_108_866, 2, 67_108_864, 0),
    ("mi300x-jax-gemm", "jit_broadcast_in_dim(47)", 0, 67_108_866, 67_108_866, 2, 67_108_864, 0),
    ("mi300x-jax-gemm", "jit_broadcast_in_dim(60)", 0, 33_554_434, 33_554_434, 2, 33_554_432, 0),
    ("mi300x-jax-gemm", "jit_broadcast_in_dim(62)", 0, 33_554_434, 33_554_434, 2, 33_554_432, 0),
    ("mi300x-jax-gemm", "jit_broadcast_in_dim(75)", 0, 33_554_434, 33_554_434, 2, 33_554_432, 0),
    ("mi300x-jax-gemm", "jit_broadcast_in_dim(77)", 0, 8_388_610, 8_388_610, 2, 8_388_608, 0),
    ("mi300x-jax-gemm", "jit_dot(21)", 0, 10_485_760, 10_486_016, 4_194_304, 2_097_152, 3),
    ("mi300x-jax-gemm", "jit_dot(34)", 0, 167_772_160, 167_772_416, 67_108_864, 33_554_432, 3),
    ("mi300x-jax-gemm", "jit_dot(49)", 0, 348_127_232, 348_127_488, 134_217_728, 134_217_728, 3),
    ("mi300x-jax-gemm", "jit_dot(64)", 0, 142_606_336, 142_606_592, 67_108_864, 8_388_608, 3),
    ("mi300x-jax-gemm", "jit_dot(79)", 0, 218_103_808, 218_104_064, 41_943_040, 134_217_728, 3),
    ("tpu-v6e-4chip-jax", "jit__psum(9646411105960254074)", 0, 10_737_418_240, 10_737_418_240, 5_368_709_120, 5_368_709_120, 0),
    ("tpu-v6e-4chip-jax", "jit_broadcast_in_dim(11287434908481120160)", 0, 5_368_709_632, 5_368_709_632, 512, 5_368_709_120, 0),
    ("tpu-v6e-4chip-jax", "jit_f(12190760917235803885)", 0, 21_474_836_512, 21_474_934_816, 0, 32, 13),
    ("tpu-v6e-4chip-jax", "jit_f(12190760917235803885)", 5, 16_106_127_360, 16_106_127_360, 16_106_127_360, 16_106_127_360, 0),
];
