/** Memory in use over time, its peak and who was alive then; every allocator beside the others. */
import { createMemo, Show } from 'solid-js';

import type { Better } from '../../compare/change';
import { compareRows } from '../../compare/pairing';
import { codeOf } from '../../format/hint';
import { formatBytes, formatCount, formatRatio, plural, type Kind } from '../../format/numbers';
import { summaryOf } from '../../shell/session';
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
import { ALIVE } from './columns';
import { Picture } from './picture';
import './memory.css';

/** What was alive on the allocator shown, against the one that the baseline calls the same. */
const compareHolders = (shown: AllocatorRow) =>
  compareRows(
    (report: MemoryReport) => report.rows.filter((row) => row.allocator === shown.allocator),
    {
      identity: (row: AliveRow) =>
        [row.kind, row.op, row.source, row.region, row.data_type, row.shape].join('/'),
    },
  );

const keyOf = (row: { host: string; allocator: string }) => `${row.host}/${row.allocator}`;

export default function MemoryView(props: ViewProps) {
  const report = createReport(
    'memory',
    () => props.session,
    () => ({ ...selectionParams() }),
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
    return wanted ?? rows.reduce((most, row) => (fullness(row) > fullness(most) ? row : most));
  });
  const isShown = (row: { host: string; allocator: string }) => keyOf(row) === keyOf(shown());
  const alive = createMemo(() => props.report.rows.filter(isShown));
  const steps = createMemo(() => props.report.steps.filter(isShown));
  const line = createMemo(() => props.report.timelines.find(isShown));
  const table = urlTableState('bytes');
  const compareAllocator = (
    of: (row: AllocatorRow) => number | null,
    kind: Kind,
    better: Better = 'less',
  ) =>
    compareFigure(
      props.report,
      (report: MemoryReport) => {
        const own = report.allocators.filter((row) => row.allocator === shown().allocator);
        const found = own.find((row) => row.device === shown().device) ?? own[0];
        return found ? of(found) : null;
      },
      kind,
      better,
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
          title="Peak"
          compare={compareAllocator((row) => row.peak_bytes, 'bytes')}
          value={formatBytes(shown().peak_bytes)}
          figure="memory.allocators.peak_bytes"
          detail={shown().peak_reserved_bytes > 0
            ? `${formatBytes(shown().peak_reserved_bytes)} for programs`
            : `of ${formatBytes(shown().capacity_bytes)}`}
        />
        <KpiCard
          title="Since the process began"
          compare={compareAllocator((row) => row.recorded_peak_bytes, 'bytes')}
          value={formatBytes(shown().recorded_peak_bytes)}
          figure="memory.allocators.recorded_peak_bytes"
          detail="handed out at once"
        />
        <KpiCard
          title="Headroom"
          compare={compareAllocator((row) => row.headroom_bytes, 'bytes', 'more')}
          value={formatBytes(shown().headroom_bytes)}
          figure="memory.allocators.headroom_bytes"
          detail={`${formatRatio(shown().peak_ratio)} full`}
        />
        <KpiCard
          title="Growth"
          compare={compareAllocator((row) => row.growth_bytes_per_step, 'bytes')}
          value={
            shown().growth_bytes_per_step === null
              ? '–'
              : formatBytes(Math.round(shown().growth_bytes_per_step ?? 0))
          }
          figure="memory.allocators.growth_bytes_per_step"
          detail={shown().is_growing ? 'per step: it grows' : 'per step'}
        />
        <KpiCard
          title="Fragmentation"
          compare={compareAllocator((row) => row.fragmentation_ratio, 'ratio')}
          value={formatRatio(shown().fragmentation_ratio)}
          figure="memory.allocators.fragmentation_ratio"
          detail={`at the peak; most ${formatRatio(shown().largest_fragmentation_ratio)}`}
        />
        <KpiCard
          title="Allocations"
          compare={compareAllocator((row) => row.allocations, 'count', 'neither')}
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
          <span class="muted">{shown().device || 'memory of the host'}</span>
          <span class="spacer" />
          <span class="muted number">
            <Show when={shown().spike_count > 0}>{plural(shown().spike_count, 'spike')}, </Show>
            {plural(line()?.event_count ?? 0, 'event')}
          </span>
        </header>
        <div class="card-body">
          <Show when={line()}>
            {(found) => <Picture row={shown()} line={found()} steps={steps()} />}
          </Show>
        </div>
      </section>
      <section class="card is-main">
        <DataTable
          rows={alive()}
          columns={ALIVE}
          state={table}
          noun="holder"
          compare={compareHolders(shown())}
          fileName={`stepscope-${summaryOf(props.session)?.name ?? 'session'}-memory`}
          isFilling
          tools={<span class="muted">Alive at the peak; the rows sum to it</span>}
          empty="Nothing was alive"
        />
      </section>
      <Remarks notes={props.report.notes} />
    </div>
  );
}

/** Device memory before that of the host. */
function fullness(row: AllocatorRow): number {
  return (row.device ? 1 : 0) + (row.peak_ratio ?? 0);
}

function NoEvents(props: { report: MemoryReport }) {
  const note = () => props.report.notes[0];
  return (
    <EmptyState
      title="No memory in use over time"
      code={codeOf(note()?.hint ?? '')}
      actions={
        <Show when={props.report.snapshots.length > 0}>
          <a href={hrefTo({ view: 'heap' })}>
            {plural(props.report.snapshots.length, 'row')} of memory snapshots under Heap
          </a>
        </Show>
      }
    >
      {note()?.text}
    </EmptyState>
  );
}
