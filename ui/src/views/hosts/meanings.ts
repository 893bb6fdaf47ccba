/** What the figures of hosts mean. */
import { TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  'hosts.step_ps': {
    title: 'Step',
    definition: 'Mean length of the host’s steps, over its devices.',
    formula: '',
    unit: TIME,
  },
  'hosts.lateness_ps': {
    title: 'Lateness',
    definition:
      'How much later than the median participant it arrives at matched collectives: the median over all of them; in the heat map at the one of the step that cost most waiting.',
    formula: 'own arrival − median arrival, on aligned clocks',
    unit: TIME,
  },
  lateness_score: {
    title: 'Score',
    definition: 'Lateness as robust deviations among the hosts.',
    formula: '0.6745 · (x − median) ÷ MAD, the MAD at least 0.1 ms',
    unit: '',
  },
  last_count: {
    title: 'Last in steps',
    definition: 'Steps in which the others waited for it most.',
    formula: '',
    unit: '',
  },
  caused_ps: {
    title: 'Others waited',
    definition: 'Time the others waited for it, mean over the others, summed over steps.',
    formula: 'Σ last arrival − arrival of the others, mean',
    unit: TIME,
  },
  'hosts.wait_ps': {
    title: 'Waited',
    definition: 'Time it waited for others, mean over its devices.',
    formula: 'Σ last arrival − own arrival',
    unit: TIME,
  },
  copies: {
    title: 'Copies',
    definition: 'Mean time of a step in which nothing ran but copies, in whatever direction.',
    formula: 'Σ host to device, device to host, device to device ÷ steps',
    unit: TIME,
  },
  is_straggler: {
    title: 'Late',
    definition:
      'Last in at least half of the steps, which chance explains with less than 1 %, and the others wait at least 1 % of a step for it. With few steps: last in every one of five or more, each wait at least 0.6 times the median one, and 5 % of a step on average.',
    formula: 'binomial tail with one chance per host',
    unit: '',
  },
  problem: {
    title: 'Problem',
    definition: 'What is wrong with the recording of this host.',
    formula: '',
    unit: '',
  },
  offset_ps: {
    title: 'Ahead by',
    definition:
      'How far the clock is ahead of the reference, after the recorded start times are taken into account.',
    formula: 'median difference of the ends of common collectives',
    unit: TIME,
  },
  drift_ppm: {
    title: 'Drift',
    definition: 'By how much the clock gains, in millionths; 0 where a constant fits as well.',
    formula: 'median of slopes',
    unit: '',
  },
  residual_ps: {
    title: 'Residual',
    definition: 'Median distance of single comparisons from offset and drift.',
    formula: '',
    unit: TIME,
  },
  max_residual_ps: {
    title: 'Largest',
    definition: 'Largest distance of a single comparison.',
    formula: '',
    unit: TIME,
  },
  matched_count: {
    title: 'Compared',
    definition: 'Collectives that both hosts took part in.',
    formula: '',
    unit: '',
  },
};
