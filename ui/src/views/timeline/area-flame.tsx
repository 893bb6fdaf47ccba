/** The slices of the selected area merged by what is around them: as a flame graph and as a table. */
import { createMemo, createSignal, For, Show } from 'solid-js';

import { signedText } from '../../compare/change';
import { compareRows } from '../../compare/pairing';
import { formatCount, formatDuration, formatRatio, plural } from '../../format/numbers';
import { classColor } from '../../format/palette';
import { parsePattern } from '../../format/pattern';
import { escapeRegex } from '../../format/text';
import { getParam, setParams } from '../../shell/state';
import { themeColor } from '../../shell/theme';
import type { FlameOrder } from '../../timeline/api';
import { framesOf, linesOf, type FlameLine } from '../../timeline/area-flame';
import { useRowPairs } from '../../widgets/against';
import { AnswerView } from '../../widgets/answer';
import { FlameFound, FlameGraph, FlamePath } from '../../widgets/flame/flame';
import { FrameFigures } from '../../widgets/flame/frame-figures';
import { buildFlame, matchesOf } from '../../widgets/flame/layout';
import { SearchField } from '../../widgets/search-field';
import type { Column } from '../../widgets/table/rows';
import { localTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { FlameReport } from '../../wire/generated/FlameReport';
import { createAnswer } from '../../wire/report';
import type { AreaProps } from './area-panel';
import { ShortName } from './short-name';

const ORDERS: readonly { order: FlameOrder; title: string; tip: string }[] = [
  { order: 'callees', title: 'Stacks', tip: 'What is within what, from the track down' },
  {
    order: 'callers',
    title: 'Callers',
    tip: 'Upside down: what has self time, and below it what is around it',
  },
];

const COMPARISON = compareRows((report: FlameReport) => linesOf(report.frames), {
  identity: (line) => line.path,
});

export function AreaFlame(props: AreaProps) {
  const order = (): FlameOrder => (getParam('stacks') === 'callers' ? 'callers' : 'callees');
  const answer = createAnswer<FlameReport>(() =>
    props.timeline.api.flameUrl(props.area, order()),
  );
  const against = createAnswer<FlameReport>(() => {
    const { other } = props;
    return other && other.api.flameUrl(other.area, order());
  });
  return (
    <AnswerView answer={{ ...answer, baseline: against }}>
      {(report) => (
        <Stacks {...props} order={order()} report={report()} isCompared={props.other !== null} />
      )}
    </AnswerView>
  );
}

interface StacksProps extends AreaProps {
  report: FlameReport;
  order: FlameOrder;
  isCompared: boolean;
}

function Stacks(props: StacksProps) {
  const isTable = () => getParam('flame') === 'table';
  const [zoom, setZoom] = createSignal(-1);
  const [search, setSearch] = createSignal('');
  const lines = createMemo(() => {
    setZoom(-1);
    return linesOf(props.report.frames);
  });
  const tree = createMemo(() => {
    const track = themeColor('text-faint');
    return buildFlame(framesOf(lines(), (name) => (name === '' ? track : classColor(name))));
  });
  const matches = createMemo(() => {
    const test = search() ? parsePattern(search()).test : null;
    return test && matchesOf(tree(), (index) => test(lines()[index]!.name));
  });
  const pairs = useRowPairs(lines, () => (props.isCompared ? COMPARISON : undefined));
  const choice = (
    <>
      <span class="segmented" role="group" aria-label="Order of the stacks">
        <For each={ORDERS}>
          {(each) => (
            <button
              class="quiet"
              aria-pressed={props.order === each.order}
              data-tip={each.tip}
              onClick={() =>
                setParams({ stacks: each.order === 'callers' ? 'callers' : null }, true)
              }
            >
              {each.title}
            </button>
          )}
        </For>
      </span>
      <span class="segmented" role="group" aria-label="Form">
        <button
          class="quiet"
          aria-pressed={!isTable()}
          onClick={() => setParams({ flame: null }, true)}
        >
          Graph
        </button>
        <button
          class="quiet"
          aria-pressed={isTable()}
          onClick={() => setParams({ flame: 'table' }, true)}
        >
          Table
        </button>
      </span>
      <Left report={props.report} />
    </>
  );
  return (
    <Show
      when={!isTable()}
      fallback={<StackTable {...props} lines={lines()} tools={choice} />}
    >
      <div class="area-flame">
        <div class="area-flame-bar">
          {choice}
          <SearchField
            label="Find frames"
            placeholder="Find frames"
            value={search()}
            onInput={setSearch}
          />
          <FlameFound tree={tree()} matches={matches()} noun="frame" />
          <FlamePath tree={tree()} zoom={zoom()} onZoom={setZoom} />
        </div>
        <Show
          when={lines().length > 0}
          fallback={<p class="panel-hint muted">Nothing took time in this area.</p>}
        >
          <FlameGraph
            tree={tree()}
            zoom={zoom()}
            onZoom={setZoom}
            found={matches()?.found ?? null}
            label={`Flame graph of ${plural(lines().length, 'stack')}; the table has the same as text`}
            details={(index) => {
              const line = lines()[index];
              return line ? (
                <Details
                  line={line}
                  report={props.report}
                  before={pairs() ? (pairs()!.before.get(line) ?? null) : undefined}
                />
              ) : null;
            }}
          />
        </Show>
      </div>
    </Show>
  );
}

/** What the limits left out. */
function Left(props: { report: FlameReport }) {
  const hidden = () => props.report.frame_count - props.report.frames.length;
  const share = () => props.report.left_out_ps / Math.max(1, props.report.total_ps);
  return (
    <>
      <Show when={hidden() > 0}>
        <span class="muted">
          {plural(hidden(), 'small frame')} with {formatRatio(share())} of the time{' '}
          {hidden() === 1 ? 'is' : 'are'} left out
        </span>
      </Show>
      <Show when={props.report.is_cut}>
        <span class="muted">too many different stacks: some deep ones count as self time</span>
      </Show>
    </>
  );
}

function Details(props: {
  line: FlameLine;
  report: FlameReport;
  /** The same frame of the baseline, null if it has none; undefined without a baseline. */
  before: FlameLine | null | undefined;
}) {
  const figures = (): [string, string][] => {
    const { line, report, before } = props;
    const share = line.total_ps / Math.max(1, report.total_ps);
    const known: [string, string][] = [
      ['Time', `${formatDuration(line.total_ps)}, ${formatRatio(share)} of all`],
      ['Self', formatDuration(line.self_ps)],
      ['Count', formatCount(line.count)],
    ];
    if (before === undefined) return known;
    if (before === null) return [...known, ['Baseline', 'no such frame']];
    return [
      ...known,
      ['Baseline', formatDuration(before.total_ps)],
      ['Difference', signedText('duration', line.total_ps - before.total_ps)],
    ];
  };
  return <FrameFigures name={props.line.name} figures={figures()} />;
}

/** The same frames as text, indented. */
function StackTable(props: StacksProps & { lines: readonly FlameLine[]; tools: unknown }) {
  const state = localTableState(null);
  const time = (key: 'total_ps' | 'self_ps', title: string): Column<FlameLine> => ({
    key,
    title,
    value: (line) => line[key],
    kind: 'duration',
    width: 104,
    better: 'less',
    figure: `timeline.area.${key === 'total_ps' ? 'total' : 'self'}`,
  });
  const columns = createMemo<Column<FlameLine>[]>(() => [
    {
      key: 'name',
      title: 'Frame',
      value: (line) => line.name,
      width: 420,
      cell: (line) => (
        <span class="area-frame" style={{ '--depth': line.depth }}>
          <span
            class="swatch"
            style={{ background: line.class === '' ? 'var(--text-faint)' : classColor(line.class) }}
          />
          <span class="area-frame-name">
            <ShortName timeline={props.timeline} name={line.name} />
          </span>
        </span>
      ),
    },
    { key: 'depth', title: 'Depth', value: (line) => line.depth, width: 60, isExportOnly: true },
    { key: 'count', title: 'Count', value: (line) => line.count, kind: 'count', width: 84 },
    time('total_ps', 'Time'),
    {
      key: 'total_ratio',
      title: 'Share',
      value: (line) => line.total_ps / Math.max(1, props.report.total_ps),
      kind: 'ratio',
      width: 84,
    },
    time('self_ps', 'Self'),
  ]);
  return (
    <DataTable
      rows={props.lines}
      columns={columns()}
      state={state}
      noun="frame"
      rowCount={props.report.frame_count}
      fileName={`area-${props.order}`}
      isFilling
      isOrdered
      compare={props.isCompared ? COMPARISON : undefined}
      tools={<>{props.tools}</>}
      onRow={(line) => props.timeline.setQuery(`^${escapeRegex(line.name)}$`)}
      empty="Nothing took time in this area"
    />
  );
}
