/** What the figures of requests mean. */
import { SHARE, TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  latency_ps: {
    title: 'Latency',
    definition: 'Duration of the request as annotated; the phases sum to it.',
    formula: '',
    unit: TIME,
  },
  percentile: {
    title: 'Percentile of latency',
    definition: 'The smallest latency that at least this share of the requests does not exceed.',
    formula: 'nearest rank',
    unit: TIME,
  },
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
  efficiency_ratio: {
    title: 'Efficiency',
    definition: 'Share of the batch that requests asked for.',
    formula: '1 − padding ÷ size',
    unit: SHARE,
  },
  'requests.phases': {
    title: 'Phases',
    definition:
      'Preparing, queueing for the batch, forming it, the runtime, copies, device work, finishing. An instant counts once, device work first; what nothing recorded explains is left over.',
    formula: '',
    unit: TIME,
  },
  'batch.device_ps': {
    title: 'Device',
    definition: 'Time within the batch in which a device of the host worked, copies left out.',
    formula: '',
    unit: TIME,
  },
  'batch.delay_ps': {
    title: 'Delay',
    definition: 'From the start of the batch’s first request to the batch’s own.',
    formula: '',
    unit: TIME,
  },
};
