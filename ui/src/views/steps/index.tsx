/** Every step on every device, with its parts, outliers marked. Clicking a row selects the step. */
import { createMemo, Show } from 'solid-js';

import { compareTable } from '../../compare/identity';
import { largest } from '../../format/largest';
import { formatDuration, plural } from '../../format/numbers';
import { PARTS } from '../../format/palette';
import { summaryOf } from '../../shell/session';
import { selected, selectionParams, toggleStep } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { DividedBar, Legend } from '../../widgets/bars';
import { EmptyState } from '../../widgets/empty';
import { Remarks, Warnings } from '../../widgets/notes';
import { StepChart } from '../../widgets/steps/chart';
import { useStepKeys } from '../../widgets/steps/keys';
import { stepTest } from '../../widgets/steps/layout';
import { CODE_STEPS, sourceText, withoutWarmUp } from '../../widgets/steps/source';
import type { Column } from '../../widgets/table/rows';
import { urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { StepRow } from '../../wire/generated/StepRow';
import type { StepsReport } from '../../wire/generated/StepsReport';
import { createReport } from '../../wire/report';
import { barsOf, chosenOf, countText } from './bars';
import './steps.css';
import { declared, type Layout } from '../../widgets/table/declared';

const COMPARE = compareTable('steps.rows', (report: StepsReport) => report.rows);

const PART_KEYS = PARTS.map((part) => `${part.part}_ps` as keyof StepRow);
const partOf = (row: StepRow, index: number) => row[PART_KEYS[index] as keyof StepRow] as number;

function columnsFor(longestPs: number): Column<StepRow>[] {
  return declared<StepRow>('steps.rows', [
    {
      key: 'step',
      width: 104,
      value: (row) => row.step,
      cell: (row) => (
        <span class="step-number">
          <Show when={row.is_outlier}>
            <span class="step-outlier" data-figure="steps.rows.is_outlier">
              outlier
            </span>
          </Show>
          <span>{row.step}</span>
        </span>
      ),
    },
    { key: 'host', width: 110, value: (row) => row.host },
    { key: 'device', width: 110, value: (row) => row.device },
    { key: 'start_ps', width: 100, value: (row) => row.start_ps },
    {
      key: 'duration_ps',
      width: 104,
      scale: 'time',
      value: (row) => row.duration_ps,
    },
    {
      key: 'parts',
      title: 'Parts',
      figure: 'steps.step_parts',
      width: 200,
      value: () => null,
      cell: (row) => (
        <DividedBar
          total={longestPs}
          pieces={PARTS.map((part, index) => ({
            title: part.title,
            value: partOf(row, index),
            color: part.color,
          }))}
        />
      ),
    },
    {
      key: 'busy_ps',
      width: 92,
      scale: 'time',
      value: (row) => row.busy_ps,
    },
    {
      key: 'busy_ratio',
      width: 80,
      value: (row) => (row.duration_ps > 0 ? row.busy_ps / row.duration_ps : null),
    },
    ...PARTS.map((part, index): Layout<StepRow> => ({
      key: `${part.part}_ps`,
      width: 150,
      scale: 'time',
      // A part that never occurs needs no column.
      value: (row) => partOf(row, index) || null,
      cell: (row, scale) => scale.text(partOf(row, index)),
      isOptional: true,
    })),
    {
      key: 'is_outlier',
      width: 0,
      value: (row) => row.is_outlier,
      isExportOnly: true,
    },
  ]);
}

export default function StepsView(props: ViewProps) {
  const session = () => props.session;
  // All steps, even while only some are selected; the others are dimmed.
  const report = createReport('steps', session, () => ({
    ...selectionParams(),
    steps: null,
    limit: 0,
  }));
  // What the header says is about the selected steps.
  const selection = createReport(
    'steps',
    session,
    () => ({ ...selectionParams(), limit: 1 }),
    () => selected('steps') !== '',
  );
  const table = urlTableState('-start_ps');

  return (
    <AnswerView answer={report}>
      {(data) => {
        const bars = createMemo(() => barsOf(data().rows));
        const baselineBars = createMemo(() => {
          const against = report.baseline.data();
          return against && barsOf(against.rows);
        });
        const columns = createMemo(() =>
          columnsFor(largest(bars(), (bar) => bar.longestPs)),
        );
        const isChosen = createMemo(() => stepTest(selected('steps')));
        const chosenBars = createMemo(() => chosenOf(bars(), isChosen()));
        const outliers = () => chosenBars().filter((bar) => bar.is_outlier).length;
        const times = () => (isChosen() ? selection.data() : data())?.step_time_ps;
        const legend = () =>
          PARTS.filter((_, index) => data().rows.some((row) => partOf(row, index) > 0)).map(
            (part) => ({
              title: part.title,
              color: part.color,
              figure: `steps.${part.part}`,
            }),
          );
        useStepKeys(bars);
        return (
          <Show when={data().rows.length > 0} fallback={<NoSteps />}>
            <div class="page is-filling">
              <Warnings notes={data().notes} />
              <section class="card">
                <header>
                  <h2>{countText(chosenBars().length, bars().length)}</h2>
                  <span class="muted number">
                    <Show when={data().source}>
                      {(source) => (
                        <>
                          {sourceText(source(), data().step_time_ps?.marks).short}
                          {withoutWarmUp(data().step_time_ps?.warm_up)},{' '}
                        </>
                      )}
                    </Show>
                    <Show when={times()}>
                      {(time) => (
                        <>
                          <Show when={time().count > 1} fallback={formatDuration(time().median)}>
                            mean {formatDuration(Math.round(time().mean))}, median{' '}
                            {formatDuration(time().median)},{' '}
                          </Show>
                        </>
                      )}
                    </Show>
                    <Show when={chosenBars().length > 1}>
                      <span data-figure="steps.rows.is_outlier">
                        {outliers() === 0 ? 'no outliers' : plural(outliers(), 'outlier')}
                      </span>
                    </Show>
                  </span>
                  <span class="spacer" />
                  <Legend entries={legend()} />
                </header>
                <div class="card-body">
                  <StepChart
                    series={bars()}
                    baseline={baselineBars()}
                  />
                </div>
              </section>
              <section class="card is-main">
                <DataTable
                  rows={data().rows}
                  columns={columns()}
                  state={table}
                  noun="row"
                  compare={COMPARE}
                  fileName={`stepscope-${summaryOf(props.session)?.name ?? 'session'}-steps`}
                  isFilling
                  absent="All values are zero"
                  onRow={(row) => toggleStep(row.step)}
                  isSelected={(row) => isChosen()?.(row.step) ?? false}
                />
              </section>
              <Remarks notes={data().notes} />
            </div>
          </Show>
        );
      }}
    </AnswerView>
  );
}

function NoSteps() {
  return (
    <EmptyState title="No steps in this profile" code={CODE_STEPS}>
      Found no step line, step annotation, or repeating program. Wrap each step of the loop and
      record again:
    </EmptyState>
  );
}
