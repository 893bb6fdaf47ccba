/** The counters in the selected area: what they were, weighted by time. */
import { createMemo } from 'solid-js';

import { compareRows } from '../../compare/pairing';
import { valueText } from '../../format/counter-value';
import { AnswerView } from '../../widgets/answer';
import { Middle } from '../../widgets/middle';
import type { Column } from '../../widgets/table/rows';
import { localTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { AreaCounter } from '../../wire/generated/AreaCounter';
import type { AreaReport } from '../../wire/generated/AreaReport';
import { createAnswer, type Answer } from '../../wire/report';
import type { AreaProps } from './area-panel';

const COMPARISON = compareRows((report: AreaReport) => report.counters, {
  identity: (row) => row.name,
});

export function AreaCounters(props: AreaProps & { answer: Answer<AreaReport> }) {
  const state = localTableState(null);
  const against = createAnswer<AreaReport>(() => {
    const { other } = props;
    return other && other.api.areaUrl(other.area, props.by);
  });
  const columns = createMemo<Column<AreaCounter>[]>(() => {
    const value = (
      key: 'min' | 'mean' | 'max' | 'first' | 'last',
      title: string,
      figure?: string,
    ): Column<AreaCounter> => ({
      key,
      title,
      value: (row) => row[key],
      kind: 'count',
      width: 110,
      cell: (row) => valueText(row[key], row.unit),
      ...(figure && { figure: `timeline.counters.${figure}` }),
    });
    return [
      {
        key: 'name',
        title: 'Counter',
        value: (row) => row.name,
        width: 320,
        cell: (row) => <Middle text={row.name} />,
      },
      { key: 'unit', title: 'Unit', value: (row) => row.unit || null, width: 90, isOptional: true },
      value('min', 'Min'),
      value('mean', 'Mean', 'mean'),
      value('max', 'Max'),
      value('first', 'First', 'first'),
      value('last', 'Last', 'last'),
      {
        key: 'sample_count',
        title: 'Samples',
        value: (row) => row.sample_count,
        kind: 'count',
        width: 84,
        figure: 'timeline.counters.samples',
      },
    ];
  });
  return (
    <AnswerView answer={{ ...props.answer, baseline: against }}>
      {(report) => (
        <DataTable
          rows={report().counters}
          columns={columns()}
          state={state}
          noun="counter"
          rowCount={report().counter_count}
          fileName="area-counters"
          isFilling
          compare={props.other ? COMPARISON : undefined}
          onRow={(row) => props.timeline.revealTrack(row.track, 0)}
          empty="No counter has a value in this area, or the area is on other tracks"
        />
      )}
    </AnswerView>
  );
}
