/** Columns of a table of ops, for the ops view and the top ops of the overview. */
import { classColor, classTitle } from '../format/palette';
import type { OpRow } from '../wire/generated/OpRow';
import { ShareCell } from './bars';
import { Middle } from './middle';
import { SourceText } from './source-text';
import './op-columns.css';
import { type Layout } from './table/declared';

/** Name with the color of its class. */
export const OP_NAME: Layout<OpRow> = {
  key: 'name',
  width: 280,
  value: (op) => op.name,
  isCode: true,
  cell: (op) => (
    <span class="op-name">
      <span
        class="swatch"
        style={{ background: classColor(op.class) }}
        data-tip={classTitle(op.class)}
      />
      <Middle text={op.name} isCode />
    </span>
  ),
};

export const OP_SELF: Layout<OpRow> = {
  key: 'self_ps',
  width: 92,
  scale: 'time',
  value: (op) => op.self_ps,
};

export const OP_SHARE: Layout<OpRow> = {
  key: 'self_ratio',
  width: 132,
  value: (op) => op.self_ratio,
  cell: (op, scale) => (
    <ShareCell
      ratio={op.self_ratio}
      text={scale.text(op.self_ratio)}
      color={classColor(op.class)}
    />
  ),
};

export const OP_CATEGORY: Layout<OpRow> = {
  key: 'category',
  width: 150,
  value: (op) => op.category,
};

export const OP_COUNT: Layout<OpRow> = {
  key: 'occurrences',
  width: 78,
  value: (op) => op.occurrences,
};

export const OP_FLOP_RATE: Layout<OpRow> = {
  key: 'flop_rate',
  width: 116,
  value: (op) => op.flop_rate,
  isOptional: true,
};

export const OP_BANDWIDTH: Layout<OpRow> = {
  key: 'bandwidth',
  width: 128,
  value: (op) => op.bandwidth,
  isOptional: true,
};

export const OP_BOUND: Layout<OpRow> = {
  key: 'bound_by',
  width: 84,
  value: (op) => op.bound_by,
  isOptional: true,
};

export const OP_ROOF: Layout<OpRow> = {
  key: 'roofline_ratio',
  width: 86,
  value: (op) => op.roofline_ratio,
  isOptional: true,
};

export const OP_SOURCE: Layout<OpRow> = {
  key: 'source',
  width: 170,
  value: (op) => op.source,
  cell: (op) => <SourceText text={op.source} />,
  isOptional: true,
};
