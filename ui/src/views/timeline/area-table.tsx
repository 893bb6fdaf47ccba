/** Statistics of the selected area, by name, class, scope, track, device, program or step. */
import { createMemo } from 'solid-js';

import { compareRows } from '../../compare/pairing';
import { classColor } from '../../format/palette';
import { escapeRegex } from '../../format/text';
import { identityOf } from '../../timeline/pivot';
import type { Timeline } from '../../timeline/timeline';
import { AnswerView } from '../../widgets/answer';
import type { Column } from '../../widgets/table/rows';
import { localTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { AreaReport } from '../../wire/generated/AreaReport';
import type { AreaRow } from '../../wire/generated/AreaRow';
import { createAnswer, type Answer } from '../../wire/report';
import { KeyChoice, keyTitle } from './area-keys';
import type { AreaProps } from './area-panel';
import { ShortName } from './short-name';

/** Of whole slices, in one unit; totals are clipped to the area. */
const STATISTICS = [
  ['mean_ps', 'Mean'],
  ['min_ps', 'Min'],
  ['p50_ps', 'p50'],
  ['p95_ps', 'p95'],
  ['max_ps', 'Max'],
] as const;

function columnsFor(title: string, timeline: Timeline): Column<AreaRow>[] {
  const time = (key: keyof AreaRow & string, name: string, figure: string): Column<AreaRow> => ({
    key,
    title: name,
    value: (row) => row[key],
    kind: 'duration',
    width: 100,
    better: 'less',
    figure: `timeline.area.${figure}`,
  });
  return [
    {
      key: 'key',
      title,
      value: (row) => row.key,
      width: 260,
      cell: (row) => (
        <span class="area-key">
          <span class="swatch" style={{ background: classColor(row.class) }} />
          <ShortName timeline={timeline} name={row.key || '(none)'} />
        </span>
      ),
    },
    { key: 'class', title: 'Class', value: (row) => row.class, width: 90, isExportOnly: true },
    {
      key: 'count',
      title: 'Count',
      value: (row) => row.count,
      kind: 'count',
      figure: 'timeline.area.count',
      width: 84,
    },
    // Parts of the area, in one unit.
    { ...time('total_ps', 'Total', 'total'), scale: 'part' },
    { ...time('self_ps', 'Self', 'self'), scale: 'part' },
    {
      key: 'window_ratio',
      title: 'Area share',
      value: (row) => row.window_ratio,
      kind: 'ratio',
      width: 86,
      figure: 'timeline.area.share',
    },
    ...STATISTICS.map(([key, name]) => ({
      ...time(key, name, 'whole'),
      width: 92,
      scale: 'slice',
    })),
  ];
}

const COMPARISON = compareRows((report: AreaReport) => report.rows, {
  identity: (row) => identityOf(row.key),
});

export function AreaTable(props: AreaProps & { answer: Answer<AreaReport> }) {
  const state = localTableState('total_ps');
  const against = createAnswer<AreaReport>(() => {
    const { other } = props;
    return other && other.api.areaUrl(other.area, props.by);
  });
  const columns = createMemo(() => columnsFor(keyTitle(props.by), props.timeline));
  const find = (row: AreaRow) => props.timeline.setQuery(`^${escapeRegex(row.key)}$`);
  return (
    <AnswerView answer={{ ...props.answer, baseline: against }}>
      {(report) => (
        <DataTable
          rows={report().rows}
          columns={columns()}
          state={state}
          noun={props.by}
          rowCount={report().row_count}
          fileName={`area-by-${props.by}`}
          isFilling
          compare={props.other ? COMPARISON : undefined}
          {...(props.by === 'name' ? { onRow: find } : {})}
          tools={<KeyChoice label="By" chosen={props.by} onChoose={props.onBy} />}
          empty="Nothing ran in this area"
        />
      )}
    </AnswerView>
  );
}
