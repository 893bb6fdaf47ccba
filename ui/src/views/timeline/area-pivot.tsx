/** The selected area in two directions: rows by one key, columns by another. */
import { createMemo, For, Show } from 'solid-js';

import { compareRows } from '../../compare/pairing';
import { plural } from '../../format/numbers';
import { getParam, setParams } from '../../shell/state';
import type { AreaKey } from '../../timeline/api';
import {
  cellOf,
  columnKey,
  identityOf,
  linesOf,
  type PivotLine,
  type PivotMeasure,
} from '../../timeline/pivot';
import type { Timeline } from '../../timeline/timeline';
import { AnswerView } from '../../widgets/answer';
import type { Column } from '../../widgets/table/rows';
import { localTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { PivotReport } from '../../wire/generated/PivotReport';
import { createAnswer } from '../../wire/report';
import { KeyMenu, keyOf, keyTitle } from './area-keys';
import type { AreaProps } from './area-panel';
import { ShortName, shortOf } from './short-name';

const MEASURES: readonly { measure: PivotMeasure; title: string; tip: string }[] = [
  { measure: 'time', title: 'Time', tip: 'Time within the area' },
  { measure: 'count', title: 'Count', tip: 'Slices that overlap the area' },
  { measure: 'share', title: 'Share', tip: 'Share of the time of the column' },
];

const COMPARISON = compareRows((report: PivotReport) => linesOf(report), {
  identity: (line) => identityOf(line.key),
});

export function AreaPivot(props: AreaProps) {
  const state = localTableState('total_ps');
  const across = (): AreaKey => keyOf(getParam('across'), props.by === 'step' ? 'class' : 'step');
  const measure = () =>
    MEASURES.find((one) => one.measure === getParam('cells'))?.measure ?? 'time';
  const answer = createAnswer<PivotReport>(() =>
    props.timeline.api.pivotUrl(props.area, props.by, across()),
  );
  const against = createAnswer<PivotReport>(() => {
    const { other } = props;
    return other && other.api.pivotUrl(other.area, props.by, across());
  });
  return (
    <AnswerView answer={{ ...answer, baseline: against }}>
      {(report) => {
        const lines = createMemo(() => linesOf(report()));
        const columns = createMemo(() => columnsOf(report(), keyTitle(props.by), measure(), props.timeline));
        const hidden = () => report().column_count - report().columns.length;
        return (
          <DataTable
            rows={lines()}
            columns={columns()}
            state={state}
            noun={props.by}
            rowCount={report().row_count}
            fileName={`area-${props.by}-by-${across()}`}
            isFilling
            compare={props.other ? COMPARISON : undefined}
            tools={
              <>
                <KeyMenu label="Rows" chosen={props.by} onChoose={props.onBy} />
                <KeyMenu
                  label="Columns"
                  chosen={across()}
                  onChoose={(key) => setParams({ across: key }, true)}
                />
                <span class="segmented" role="group" aria-label="Cells">
                  <For each={MEASURES}>
                    {(each) => (
                      <button
                        class="quiet"
                        aria-pressed={measure() === each.measure}
                        data-tip={each.tip}
                        onClick={() =>
                          setParams({ cells: each.measure === 'time' ? null : each.measure }, true)
                        }
                      >
                        {each.title}
                      </button>
                    )}
                  </For>
                </span>
                <Show when={hidden() > 0}>
                  <span class="muted">
                    {plural(hidden(), 'column')} with less time {hidden() === 1 ? 'is' : 'are'} in
                    the total only
                  </span>
                </Show>
              </>
            }
            empty="Nothing ran in this area"
          />
        );
      }}
    </AnswerView>
  );
}

function columnsOf(
  report: PivotReport,
  title: string,
  measure: PivotMeasure,
  timeline: Timeline,
): Column<PivotLine>[] {
  const kind = measure === 'time' ? 'duration' : measure === 'count' ? 'count' : 'ratio';
  return [
    {
      key: 'key',
      title,
      value: (line) => line.key,
      width: 220,
      cell: (line) => <ShortName timeline={timeline} name={line.key || '(none)'} />,
    },
    {
      key: 'total_ps',
      title: 'Total',
      value: (line) => line.totalPs,
      kind: 'duration',
      width: 100,
      better: 'less',
      figure: 'timeline.area.total',
    },
    ...report.columns.map(
      (column): Column<PivotLine> => ({
        key: columnKey(column.key),
        title: shortOf(timeline, column.key) || '(none)',
        value: (line) => cellOf(line, column, measure),
        kind,
        scale: 'cells',
        width: 110,
        ...(measure === 'time' && { better: 'less' as const }),
      }),
    ),
  ];
}
