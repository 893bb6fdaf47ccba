/** Columns of the tables of a roofline. */
import { Show } from 'solid-js';

import { format } from '../../format/numbers';
import { classColor } from '../../format/palette';
import { formatRange } from '../../timeline/address';
import { hrefTo } from '../../shell/state';
import { Middle } from '../../widgets/middle';
import { SourceText } from '../../widgets/source-text';
import type { Column } from '../../widgets/table/rows';
import type { RooflinePeak } from '../../wire/generated/RooflinePeak';
import type { RooflineRow } from '../../wire/generated/RooflineRow';
import { levelTitle } from './chart';
import { declared, type Layout } from '../../widgets/table/declared';
import '../../widgets/op-columns.css';
import { intensityOf } from './tip';

function rates(level: string): Layout<RooflineRow>[] {
  return [
    {
      key: 'flop_rate',
      width: 116,
      value: (row) => row.flop_rate,
      isOptional: true,
    },
    {
      key: 'bandwidth',
      width: 124,
      value: (row) => row.bandwidth,
      isOptional: true,
    },
    {
      key: 'intensity',
      width: 92,
      value: (row) => intensityOf(row, level),
      cell: (row) => intensityOf(row, level)?.toPrecision(3) ?? '–',
      isOptional: true,
    },
    { key: 'bound_by', width: 96, value: (row) => row.bound_by, isOptional: true },
    {
      key: 'roofline_ratio',
      width: 100,
      value: (row) => row.roofline_ratio,
      cell: (row, scale) => (
        <span
          classList={{ 'roofline-over': row.is_over_peak }}
          data-tip={row.is_over_peak ? 'Above a peak: shown as measured' : undefined}
        >
          {scale.text(row.roofline_ratio)}
          {row.is_over_peak ? ' !' : ''}
        </span>
      ),
      isOptional: true,
    },
    {
      key: 'compute_ratio',
      width: 100,
      value: (row) => row.compute_ratio,
      isOptional: true,
    },
  ];
}

export function opColumns(level: string): Column<RooflineRow>[] {
  return declared<RooflineRow>('roofline.rows', [
    {
      key: 'name',
      width: 260,
      value: (row) => row.name,
      isCode: true,
      cell: (row) => (
        <span class="op-name">
          <span class="swatch" style={{ background: classColor(row.class) }} />
          <Middle text={row.name} isCode />
        </span>
      ),
    },
    { key: 'self_ps', width: 92, value: (row) => row.self_ps },
    { key: 'self_ratio', width: 76, value: (row) => row.self_ratio },
    ...rates(level),
    {
      key: 'optimal_flop_rate',
      width: 116,
      value: (row) => row.optimal_flop_rate,
      isOptional: true,
    },
    { key: 'category', width: 140, value: (row) => row.category },
    {
      key: 'source',
      width: 160,
      value: (row) => row.source,
      cell: (row) => <SourceText text={row.source} />,
      isOptional: true,
    },
    { key: 'program', width: 0, value: (row) => row.program, isExportOnly: true },
  ]);
}

export function scopeColumns(level: string): Column<RooflineRow>[] {
  return declared<RooflineRow>('roofline.scopes', [
    {
      key: 'name',
      width: 260,
      value: (row) => row.name,
      cell: (row) => <ScopeName row={row} />,
    },
    {
      key: 'total_ps',
      width: 100,
      value: (row) => row.total_ps,
    },
    ...rates(level),
    { key: 'flops', width: 112, value: (row) => row.flops },
    { key: 'bytes', width: 100, value: (row) => row.bytes },
  ]);
}

function ScopeName(props: { row: RooflineRow }) {
  return (
    <Show
      when={props.row.start_ps !== null && props.row.end_ps !== null}
      fallback={<Middle text={props.row.name} />}
    >
      <a
        href={hrefTo({
          view: 'timeline',
          params: {
            window: formatRange({
              startPs: props.row.start_ps ?? 0,
              endPs: props.row.end_ps ?? 0,
            }),
          },
        })}
      >
        {props.row.name}
      </a>
    </Show>
  );
}

export const PEAKS = declared<RooflinePeak>('roofline.peaks', [
  { key: 'chip', width: 180, value: (row) => row.chip },
  {
    key: 'level',
    width: 150,
    value: (row) => levelTitle(row.level),
  },
  { key: 'operand_type', width: 110, value: (row) => row.operand_type },
  {
    key: 'per_second',
    title: 'Per second',
    figure: 'roofline.per_second',
    width: 130,
    value: (row) =>
      row.per_second === null
        ? 'unknown'
        : format(row.level === 'compute' ? 'flop_rate' : 'bandwidth', row.per_second),
  },
  {
    key: 'ridge_intensity',
    width: 120,
    value: (row) => row.ridge_intensity?.toPrecision(4) ?? '',
  },
  {
    key: 'device_count',
    width: 80,
    value: (row) => row.device_count,
  },
  {
    key: 'source',
    width: 480,
    value: (row) => row.source,
  },
]);
