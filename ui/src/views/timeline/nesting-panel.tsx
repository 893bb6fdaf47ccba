/** What is around the selected slice and within it, on its track. */
import { createMemo, For, Show } from 'solid-js';

import { format, formatCount, formatDuration, plural } from '../../format/numbers';
import { classColor } from '../../format/palette';
import { formatSliceRef } from '../../timeline/address';
import { LAID_TRACK } from '../../timeline/laid';
import { AnswerView } from '../../widgets/answer';
import type { Column } from '../../widgets/table/rows';
import { localTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { DescendantRow } from '../../wire/generated/DescendantRow';
import type { NestingReport } from '../../wire/generated/NestingReport';
import type { SliceDetails } from '../../wire/generated/SliceDetails';
import { createAnswer } from '../../wire/report';
import { PanelHint, type PanelProps } from './drawer';
import { ShortName } from './short-name';

export function NestingPanel(props: PanelProps) {
  const details = () => props.timeline.selection[0]()?.details ?? null;
  const isRow = () => details()?.slice.track === LAID_TRACK;
  return (
    <Show
      when={isRow() ? null : details()}
      fallback={
        <Show
          when={isRow()}
          fallback={
            <PanelHint text="Click a slice to see what is around it and within it." keys="click" />
          }
        >
          <PanelHint text="Rows of a query are not nested." keys="" />
        </Show>
      }
    >
      {(found) => <Nesting {...props} details={found()} />}
    </Show>
  );
}

interface NestingProps extends PanelProps {
  details: SliceDetails;
}

function Nesting(props: NestingProps) {
  const slice = createMemo(() => formatSliceRef(props.details.slice));
  const answer = createAnswer<NestingReport>(
    () => slice() && props.timeline.api.nestingUrl(props.details.slice),
  );
  return (
    <div class="nesting">
      <AnswerView answer={answer}>
        {(report) => (
          <>
            <Around {...props} report={report()} />
            <Within {...props} report={report()} />
          </>
        )}
      </AnswerView>
    </div>
  );
}

interface ReportProps extends NestingProps {
  report: NestingReport;
}

/** The chain of enclosing slices, each with the share of it that the selected one takes. */
function Around(props: ReportProps) {
  const hidden = () => props.report.ancestor_count - props.report.ancestors.length;
  const share = (durationPs: number) => props.details.duration_ps / Math.max(1, durationPs);
  return (
    <section class="nesting-around" aria-label="Enclosing slices">
      <h3>
        Around it <span class="muted">{formatCount(props.report.ancestor_count)}</span>
      </h3>
      <Show
        when={props.report.ancestors.length > 0}
        fallback={<p class="muted">It is an outermost slice of its track.</p>}
      >
        <Show when={hidden() > 0}>
          <p class="muted">
            {plural(hidden(), 'more slice')} further out {hidden() === 1 ? 'is' : 'are'} not listed.
          </p>
        </Show>
        <ol class="flows">
          <For each={props.report.ancestors}>
            {(one) => (
              <li>
                <button
                  class="flow"
                  onClick={() =>
                    void props.commands.goTo(one.slice, {
                      startPs: one.start_ps,
                      durationPs: one.duration_ps,
                    })
                  }
                >
                  <span class="swatch" style={{ background: classColor(one.class) }} />
                  <span class="flow-name">
                    <ShortName timeline={props.timeline} name={one.name} />
                  </span>
                  <span class="number muted">{formatDuration(one.duration_ps)}</span>
                  <span
                    class="number nesting-share"
                    data-tip="Share of it that the selected slice takes"
                  >
                    {format('ratio', share(one.duration_ps))}
                  </span>
                </button>
              </li>
            )}
          </For>
        </ol>
      </Show>
    </section>
  );
}

/** The slices within, by name. */
function Within(props: ReportProps) {
  const state = localTableState('total_ps');
  const columns = createMemo<Column<DescendantRow>[]>(() => {
    const wholePs = Math.max(1, props.details.duration_ps);
    const time = (key: 'total_ps' | 'self_ps' | 'max_ps', title: string) => ({
      key,
      title,
      value: (row: DescendantRow) => row[key],
      kind: 'duration' as const,
      width: 100,
    });
    return [
      {
        key: 'name',
        title: 'Name',
        value: (row) => row.name,
        width: 260,
        cell: (row) => (
          <span class="area-key">
            <span class="swatch" style={{ background: classColor(row.class) }} />
            <ShortName timeline={props.timeline} name={row.name} />
          </span>
        ),
      },
      { key: 'count', title: 'Count', value: (row) => row.count, kind: 'count', width: 84 },
      { ...time('total_ps', 'Total'), figure: 'timeline.nesting.total' },
      {
        key: 'total_ratio',
        title: 'Share',
        value: (row) => row.total_ps / wholePs,
        kind: 'ratio',
        width: 84,
        figure: 'timeline.nesting.share',
      },
      { ...time('self_ps', 'Self'), figure: 'timeline.nesting.self' },
      time('max_ps', 'Longest'),
    ];
  });
  return (
    <section class="nesting-within" aria-label="Slices within">
      <h3>
        Within it{' '}
        <span class="muted">
          {plural(props.report.slice_count, 'slice')}
          <Show when={props.report.depth > 1}>, {plural(props.report.depth, 'level')}</Show>; self
          time {formatDuration(props.details.self_ps)}. A row shows its longest slice.
        </span>
      </h3>
      <Show
        when={props.report.slice_count > 0}
        fallback={<p class="muted">Nothing on its track is within it.</p>}
      >
        <DataTable
          rows={props.report.descendants}
          columns={columns()}
          state={state}
          noun="name"
          rowCount={props.report.row_count}
          fileName="within-slice"
          isFilling
          onRow={(row) =>
            void props.commands.goTo(row.longest, {
              startPs: row.longest_start_ps,
              durationPs: row.max_ps,
            })
          }
        />
      </Show>
    </section>
  );
}
