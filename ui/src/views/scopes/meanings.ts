/** What the figures of a scope mean. */
import { TIME, SHARE, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  'scopes.name': {
    title: 'Scope',
    definition: 'Last component of the name stack, or the file and line.',
    formula: '',
    unit: '',
  },
  'scopes.total_ps': {
    title: 'Total',
    definition: 'Self time of all ops at or below this node.',
    formula: 'Σ self',
    unit: TIME,
  },
  'scopes.self_ps': {
    title: 'Self',
    definition: 'Self time of the ops exactly at this node.',
    formula: 'Σ self',
    unit: TIME,
  },
  'scopes.ratio': {
    title: 'Share',
    definition: 'Share of the self time of everything selected.',
    formula: 'total ÷ Σ self',
    unit: SHARE,
  },
  'scopes.flops': {
    title: 'FLOP',
    definition: 'Floating point operations of all executions at or below.',
    formula: 'Σ flops × count',
    unit: 'floating point operations',
  },
  'scopes.bytes': {
    title: 'Bytes',
    definition: 'Bytes read and written by all executions at or below.',
    formula: 'Σ bytes × count',
    unit: 'bytes',
  },
  'scopes.combined': {
    title: 'Combined ops',
    definition:
      'XLA combines ops, such as the all-reduces of many gradients. Such an op stands under the nearest scope that holds all it serves, or its time is divided over them: by the bytes of its operands where these tell the paths apart, else equally.',
    formula: '',
    unit: '',
  },
  'scopes.estimated_ps': {
    title: 'Estimated',
    definition: 'Part of the total that is a share of combined ops, divided over what they serve.',
    formula: 'Σ self × share of the path',
    unit: TIME,
  },
  'scopes.paths': {
    title: 'Serves',
    definition: 'The paths that a combined op serves, one for each op that XLA merged.',
    formula: '',
    unit: '',
  },
  forward_ps: {
    title: 'Forward',
    definition: 'Part of the total in the forward pass.',
    formula: '',
    unit: TIME,
  },
  backward_ps: {
    title: 'Backward',
    definition: 'Part of the total in the backward pass: the name stack contains transpose(.',
    formula: '',
    unit: TIME,
  },
  rematerialised_ps: {
    title: 'Rematerialised',
    definition:
      'Part of the total that computes again what the forward pass already had: checkpoint, rematted_computation, .remat.',
    formula: '',
    unit: TIME,
  },
  phases: {
    title: 'Forward, backward, rematerialised',
    definition:
      'How the total divides between the forward pass, the backward pass, and recomputation.',
    formula: '',
    unit: TIME,
  },
};
