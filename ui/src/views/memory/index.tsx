/** Memory in use over time and what was alive at its peak, for every allocator. */
import { createMemo, Show } from 'solid-js';

import { compareTable } from '../../compare/identity';
import { codeOf } from '../../format/hint';
import { formatBytes, formatCount, formatRatio, formatTime, plural } from '../../format/numbers';
import { summaryOf } from '../../shell/session';
import { shared } from '../../shell/shared';
import { getParam, hrefTo, selectionParams, setParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { ShareCell } from '../../widgets/bars';
import { EmptyState } from '../../widgets/empty';
import { compareFigure, KpiCard } from '../../widgets/kpi';
import { Remarks, Warnings } from '../../widgets/notes';
import { urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import { Tabs } from '../../widgets/tabs/tabs';
import type { AliveRow } from '../../wire/generated/AliveRow';
import type { AllocatorRow } from '../../wire/generated/AllocatorRow';
import type { MemoryReport } from '../../wire/generated/MemoryReport';
import { createReport } from '../../wire/report';
import { mostTelling } from './choice';
import { ALIVE } from './columns';
import { Picture } from './picture';
import './memory.css';

/** Compares what was alive with the allocator of the same name in the baseline. */
const compareHolders = (shown: AllocatorRow) =>
  compareTable('memory.rows', (report: MemoryReport) =>
    report.rows.filter((row) => row.allocator === shown.allocator),
  );

const keyOf = (row: { host: string; allocator: string }) => `${row.host}/${row.allocator}`;

export default function MemoryView(props: ViewProps) {
  const report = createReport(
    'memory',
    () => props.session,
    () => ({ ...selectionParams(), at: getParam('at') ?? null }),
  );
  return (
    <AnswerView answer={report}>
      {(data) => (
        <Show when={data().allocators.length > 0} fallback={<NoEvents report={data()} />}>
          <Allocators report={data()} session={props.session} />
        </Show>
      )}
    </AnswerView>
  );
}

function Allocators(props: { report: MemoryReport; session: string }) {
  const shown = createMemo(() => {
    const rows = props.report.allocators;
    const wanted = rows.find((row) => keyOf(row) === getParam('allocator'));
    return wanted ?? (mostTelling(rows) ?? rows[0]) as AllocatorRow;
  });
  const isShown = (row: { host: string; allocator: string }) => keyOf(row) === keyOf(shown());
  const alive = createMemo(() => props.report.rows.filter(isShown));
  const steps = createMemo(() => props.report.steps.filter(isShown));
  const line = createMemo(() => props.report.timelines.find(isShown));
  const table = urlTableState('bytes');
  const compareAllocator = (
    of: (row: AllocatorRow) => number | null,
    key: string,
  ) =>
    compareFigure(
      props.report,
      (report: MemoryReport) => {
        const own = report.allocators.filter((row) => row.allocator === shown().allocator);
        const found = own.find((row) => row.device === shown().device) ?? own[0];
        return found ? of(found) : null;
      },
      `memory.allocators.${key}`,
    );
  return (
    <div class="page is-filling memory">
      <Warnings notes={props.report.notes} />
      <Tabs
        class="memory-tabs"
        label="Allocator"
        entries={props.report.allocators.map((row) => ({
          name: keyOf(row),
          title: (
            <>
              <span class="memory-name">{row.device || row.allocator}</span>
              <ShareCell ratio={row.peak_ratio ?? 0} text={formatRatio(row.peak_ratio)} />
            </>
          ),
        }))}
        chosen={keyOf(shown())}
        onChoose={(allocator) => setParams({ allocator }, false)}
      />
      <div class="kpi-row">
        <KpiCard
          compare={compareAllocator((row) => row.peak_bytes, 'peak_bytes')}
          value={formatBytes(shown().peak_bytes)}
          figure="memory.allocators.peak_bytes"
          detail={shown().peak_reserved_bytes > 0
            ? `${formatBytes(shown().peak_reserved_bytes)} for programs`
            : `of ${formatBytes(shown().capacity_bytes)}`}
        />
        <KpiCard
          compare={compareAllocator((row) => row.recorded_peak_bytes, 'recorded_peak_bytes')}
          value={formatBytes(shown().recorded_peak_bytes)}
          figure="memory.allocators.recorded_peak_bytes"
          detail={shown().peak_reserved_bytes > 0
            ? 'since process start, without programs'
            : 'since process start'}
        />
        <KpiCard
          compare={compareAllocator((row) => row.headroom_bytes, 'headroom_bytes')}
          value={formatBytes(shown().headroom_bytes)}
          figure="memory.allocators.headroom_bytes"
          detail={`${formatRatio(shown().peak_ratio)} full`}
        />
        <KpiCard
          compare={compareAllocator((row) => row.growth_bytes_per_step, 'growth_bytes_per_step')}
          value={
            shown().growth_bytes_per_step === null
              ? '–'
              : formatBytes(Math.round(shown().growth_bytes_per_step ?? 0))
          }
          figure="memory.allocators.growth_bytes_per_step"
          detail={
            shown().growth_bytes_per_step === null
              ? 'too few steps'
              : shown().is_growing
                ? 'growing'
                : ''
          }
        />
        <KpiCard
          compare={compareAllocator((row) => row.fragmentation_ratio, 'fragmentation_ratio')}
          value={formatRatio(shown().fragmentation_ratio)}
          figure="memory.allocators.fragmentation_ratio"
          detail={`at the peak; max ${formatRatio(shown().largest_fragmentation_ratio)}`}
        />
        <KpiCard
          compare={compareAllocator((row) => row.allocations, 'allocations')}
          value={formatCount(shown().allocations)}
          figure="memory.allocators.allocations"
          detail={`${formatCount(shown().small_allocations)} of 4 KiB or less`}
        />
      </div>
      <section class="card">
        <header>
          <h2>
            {/^\d+$/.test(shown().allocator) ? `Allocator ${shown().allocator}` : shown().allocator}
          </h2>
          <span class="muted">{shown().device || 'host memory'}</span>
          <span class="spacer" />
          <span class="muted number">
            <Show when={shown().spike_count > 0}>{plural(shown().spike_count, 'spike')}, </Show>
            {plural(line()?.event_count ?? 0, 'event')}
          </span>
        </header>
        <div class="card-body">
          <Show when={line()}>
            {(found) => <Picture
                row={shown()}
                line={found()}
                steps={steps()}
                atPs={props.report.at_ps}
                onMoment={(atPs) => !shared() && setParams({ at: `${atPs}ps` }, false)}
              />}
          </Show>
        </div>
      </section>
      <section class="card is-main">
        <DataTable
          rows={alive()}
          columns={ALIVE}
          state={table}
          noun="owner"
          compare={compareHolders(shown())}
          fileName={`stepscope-${summaryOf(props.session)?.name ?? 'session'}-memory`}
          isFilling
          tools={<Moment atPs={props.report.at_ps} rows={alive()} />}
          empty="Nothing was alive, or nothing is known of that moment"
        />
      </section>
      <Remarks notes={props.report.notes} />
    </div>
  );
}

/** When the rows were alive, and the way back to the peak. */
function Moment(props: { atPs: number | null; rows: readonly AliveRow[] }) {
  const bytes = () => props.rows.reduce((sum, row) => sum + row.bytes, 0);
  return (
    <Show
      when={props.atPs}
      fallback={
        <span class="muted">
          Alive at the peak; rows sum to the peak
          <Show when={!shared()}>. Click the chart for another moment</Show>
        </span>
      }
    >
      {(at) => (
        <>
          <span class="number">
            Alive at {formatTime(at(), 1e6)}: <strong>{formatBytes(bytes())}</strong>
          </span>
          <button class="quiet" onClick={() => setParams({ at: null }, false)}>
            Back to the peak
          </button>
        </>
      )}
    </Show>
  );
}

function NoEvents(props: { report: MemoryReport }) {
  const note = () => props.report.notes[0];
  /** Each has a row per device. */
  const snapshots = () => new Set(props.report.snapshots.map(({ snapshot }) => snapshot)).size;
  return (
    <EmptyState
      title="No memory use over time was recorded"
      code={codeOf(note()?.hint ?? '')}
      actions={
        <>
          <a href={hrefTo({ view: 'buffers' })}>What each program needs, in Buffers</a>
          <Show when={snapshots() > 0}>
            <a href={hrefTo({ view: 'heap' })}>
              {plural(snapshots(), 'memory snapshot')} in Heap
            </a>
          </Show>
        </>
      }
    >
      {note()?.text}
    </EmptyState>
  );
}
