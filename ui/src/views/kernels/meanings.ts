/** What the figures of a kernel and of a copy mean. */
import { SHARE, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  queue: {
    title: 'Queue',
    definition: 'Kernels and copies launched but not finished. Dark: mean, light: maximum. An empty queue means that the device waits for the host.',
    formula: 'calls started − kernels and copies ended',
    unit: '',
  },
  durations: {
    title: 'Kernels by duration',
    definition: 'Kernels by duration: their share of launches and of kernel time. Many kernels below 0.1 ms suggest that little was fused; above 1 ms, launch overhead is negligible.',
    formula: '',
    unit: SHARE,
  },
  size: {
    title: 'Size',
    definition: 'Bytes of one copy.',
    formula: '',
    unit: 'bytes',
  },
};
