/** What the figures of a kernel and of a copy mean. */
import { SHARE, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  queue: {
    title: 'Queue',
    definition: 'Kernels and copies launched and not finished: dark: mean, light: maximum. An empty queue means that the device waits for the host.',
    formula: 'calls begun − kernels and copies ended',
    unit: '',
  },
  durations: {
    title: 'Kernels by duration',
    definition: 'How many launches last how long, and what share of the kernel time is theirs. Many below 0.1 ms say that little was fused; above 1 ms launching costs nothing.',
    formula: '',
    unit: SHARE,
  },
  tiny: {
    title: 'Tiny kernels',
    definition: 'Shorter than 0.1 ms.',
    formula: '',
    unit: SHARE,
  },
  matrix_ratio: {
    title: 'On matrix units',
    definition: 'Kernel time in kernels that use Tensor Cores or MFMA, identified by their names.',
    formula: 'time of those kernels ÷ time of all',
    unit: SHARE,
  },
  size: {
    title: 'Size',
    definition: 'Bytes of one copy.',
    formula: '',
    unit: 'bytes',
  },
};
