/** What the figures of requests mean. */
import { SHARE, TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  throughput: {
    title: 'Throughput',
    definition: 'Requests per second.',
    formula: 'requests ÷ (last end − first start)',
    unit: 'requests per second',
  },
  concurrency_mean: {
    title: 'Open at once',
    definition: 'Requests that had begun and not ended, on average.',
    formula: 'Σ latencies ÷ (last end − first start)',
    unit: 'requests',
  },
  padding_ratio: {
    title: 'Padding',
    definition: 'Elements of batches that no request asked for.',
    formula: 'Σ padding ÷ Σ sizes',
    unit: SHARE,
  },
  phases: {
    title: 'Phases',
    definition: 'Preparing, queueing for the batch, forming it, the runtime, copies, device work, finishing. An instant counts once, device work first; what nothing recorded explains is left over.',
    formula: '',
    unit: TIME,
  },
};
