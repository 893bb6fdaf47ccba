/** Device time by program, category and op, or by scope: icicle, tree table, most wasteful ops. */
import { createEffect, createMemo, createSignal, For, on, Show } from 'solid-js';

import type { Change } from '../../compare/change';
import { strongest } from '../../compare/matching';
import { compareTable } from '../../compare/identity';
import { compareRows } from '../../compare/pairing';
import { format, formatDuration, formatRatio, plural } from '../../format/numbers';
import { USE_GRADIENT, useColor } from '../../format/heat';
import { classColor, classTitle } from '../../format/palette';
import { Icon } from '../../shell/icons';
import { summaryOf } from '../../shell/session';
import { baseline, getParam, selectionParams, setParams } from '../../shell/state';
import { themeColor } from '../../shell/theme';
import type { ViewProps } from '../../shell/views';
import { useRowPairs } from '../../widgets/against';
import { AnswerView, ClearSelection } from '../../widgets/answer';
import { changeColor, ChangeLegend, TextChange } from '../../widgets/change';
import { EmptyState } from '../../widgets/empty';
import { FoldAll } from '../../widgets/fold-all';
import { FlameFound, FlameGraph, FlamePath } from '../../widgets/flame/flame';
import { buildFlame, matchesOf } from '../../widgets/flame/layout';
import { colorMeaning, LegendLine } from '../../widgets/legend-line';
import { linkKeys, type LinkKeys } from '../../widgets/link-keys';
import { Remarks, Warnings } from '../../widgets/notes';
import { SearchField } from '../../widgets/search-field';
import { changeIn } from '../../widgets/table/changes';
import { parseFilter, unknownField } from '../../widgets/table/filter';
import { opMenu } from '../../widgets/op-links';
import { localTableState, urlTableState } from '../../widgets/table/state';
import { NoMatch } from '../../widgets/table/no-match';
import { DataTable } from '../../widgets/table/table';
import { buildTree, visibleNodes, worthOpening } from '../../widgets/tree';
import type { OpTreeReport } from '../../wire/generated/OpTreeReport';
import type { OpTreeRow } from '../../wire/generated/OpTreeRow';
import { createReport } from '../../wire/report';
import { SEARCHED, treeColumns, wasteColumns, type Node } from './columns';
import { NodeDetails } from './details';
import { withoutIdle } from './shares';
import './op_tree.css';
import { declaredColumn } from '../../widgets/table/declared';

const LIMIT = 20000;

/** Idle time may be most of the window, so the icicle shows it only on request. */
const hasIdle = () => getParam('idle') === 'include';
/** Shares are of what is shown. */
const asShown = (report: OpTreeReport) => (hasIdle() ? report : withoutIdle(report));

/** Ops pair by the comparison's matching, other nodes by their path from the root. */
const compareNodes = (tree: () => readonly Node[]) =>
  compareRows((report: OpTreeReport) => buildTree(asShown(report).rows), {
    among: tree,
    op: ({ row }: Node) => (row.kind === 'op' ? [row.program_id, row.op] : null),
    identity: ({ row }) => (row.kind === 'instruction' ? '' : nodeIdentity(row)),
    evidence: (node, matching) =>
      node.row.kind === 'idle'
        ? matching.partEvidence('idle')
        : strongest(
            opsBelow(tree(), node).map((row) => matching.opEvidence(row.program_id, row.op)),
          ),
  });

/** The ops that a node sums. */
function opsBelow(tree: readonly Node[], node: Node): OpTreeRow[] {
  const ops: OpTreeRow[] = [];
  for (let at = node.index + 1; (tree[at]?.row.depth ?? 0) > node.row.depth; at++) {
    const row = tree[at]?.row;
    if (row?.kind === 'op') ops.push(row);
  }
  return ops;
}

/**
 * Identifies a node in both sessions. The matching pairs ops, whatever their names; program ids are
 * dropped. Duplicates are named after the longest of them, so that name is dropped: they pair in order.
 */
function nodeIdentity(row: OpTreeRow): string {
  if (row.kind === 'op') return 'op';
  const path = row.path.replace(/\(\d+\)/g, '');
  const shared = row.kind === 'duplicates' ? path.slice(0, path.lastIndexOf(' > ')) : path;
  return `${row.kind} ${shared}`;
}

const COMPARE_WASTE = compareTable('op_tree.wasted', (report: OpTreeReport) => asShown(report).wasted);

/** The column whose change colors the icicle. */
const SELF = declaredColumn<Node>('op_tree.rows', {
  key: 'self_ps',
  width: 0,
  value: (node) => node.row.self_ps,
});

const BY = [
  ['program', 'By program'],
  ['category', 'By category'],
  ['scope', 'By scope'],
] as const;

const by = () => BY.find(([key]) => key === getParam('by'))?.[0] ?? 'program';

/** With a baseline, colored by change unless the URL says otherwise. */
const isByChange = () => {
  const wanted = getParam('color');
  return baseline() !== null && (wanted === undefined || wanted === 'change');
};

/** Colored by utilization, unless the URL says otherwise or it is unknown. */
const isByUse = (report: OpTreeReport) => {
  const wanted = getParam('color');
  return wanted === undefined || wanted === 'change' ? report.wasted_ps !== null : wanted === 'use';
};
const isWasted = () => getParam('tab') === 'wasted';

export default function OpTreeView(props: ViewProps) {
  const report = createReport(
    'op_tree',
    () => props.session,
    () => ({
      ...selectionParams(),
      limit: LIMIT,
      by: by() === 'program' ? null : by(),
    }),
  );
  return (
    <AnswerView answer={report}>
      {(data) => {
        const shown = createMemo(() => asShown(data()));
        return (
          <div class="page is-filling op-tree">
            <Warnings notes={shown().notes} />
            <Show when={data().rows.some((row) => row.kind !== 'idle')} fallback={<NoOps />}>
              <Body report={shown()} session={props.session} />
            </Show>
            <Remarks notes={shown().notes} />
          </div>
        );
      }}
    </AnswerView>
  );
}

function Body(props: { report: OpTreeReport; session: string }) {
  const rows = () => props.report.rows;
  const tree = createMemo(() => buildTree(rows()));
  const table = urlTableState('');
  const [open, setOpen] = createSignal<ReadonlySet<number>>(new Set());
  // Idle time changes only the shares.
  const names = createMemo(() => rows().map(({ path }) => path).join('\n'));
  createEffect(on(names, () => setOpen(worthOpening(tree()))));
  const columns = createMemo(() => treeColumns(open, (node) => toggle(node), hasIdle()));
  const waste = createMemo(() => wasteColumns(hasIdle()));
  const numbers = () => columns().filter((column) => column.kind !== undefined);
  const filter = createMemo(() => parseFilter(table.query(), [...SEARCHED, ...numbers()]));
  const matching = createMemo(() => {
    const { test } = filter();
    return test && new Set(tree().filter(test).map((node) => node.index));
  });
  const isHidden = (row: OpTreeRow) => row.kind === 'idle' && !hasIdle();
  const hiddenCount = createMemo(() => rows().filter(isHidden).length);
  const visible = createMemo(() =>
    visibleNodes(tree(), open(), matching()).filter(({ row }) => !isHidden(row)),
  );
  const keys = createMemo(() =>
    linkKeys(
      rows().map(({ name }) => name),
      rows().map(({ depth }) => depth),
    ),
  );
  const shown = () => rows()[keys().indexOf(getParam('node'))];
  const show = (index: number) => setParams({ node: keys().at(index) }, false);
  const toggle = (node: Node) => {
    const next = new Set(open());
    if (!next.delete(node.index)) next.add(node.index);
    setOpen(next);
  };
  const unfold = (depth: number) =>
    setOpen(new Set(tree().flatMap((node) => (node.row.depth < depth ? [node.index] : []))));
  const name = () => `stepscope-${summaryOf(props.session)?.name ?? 'session'}`;
  const tools = () => (
    <>
      <SearchField
        label="Find nodes"
        placeholder="Find nodes: text, pattern, self > 1ms"
        value={table.query()}
        onInput={table.setQuery}
        error={filter().error}
      />
      <span class="segmented">
        <button aria-pressed={!isWasted()} onClick={() => setParams({ tab: null }, false)}>
          Tree
        </button>
        <button aria-pressed={isWasted()} onClick={() => setParams({ tab: 'wasted' }, false)}>
          Most wasted
        </button>
      </span>
      <Show when={!isWasted()}>
        <FoldAll onFold={() => unfold(0)} onUnfold={() => unfold(Infinity)} />
      </Show>
      <span class="spacer" />
    </>
  );
  return (
    <>
      <Icicle report={props.report} keys={keys()} matching={matching()} onShow={show} />
      <div class="op-tree-below is-main">
        <section class="card op-tree-table">
          <Show
            when={!isWasted()}
            fallback={
              <DataTable
                rows={props.report.wasted}
                columns={waste()}
                state={{ ...localTableState('wasted_ps'), query: table.query, setQuery: table.setQuery }}
                noun="op"
                compare={COMPARE_WASTE}
                fileName={`${name()}-wasted`}
                isFilling
                isBare
                tools={tools()}
                onRow={(waste) =>
                  show(
                    rows().findIndex(
                      (row) => row.op === waste.name && row.program_id === waste.program_id,
                    ),
                  )
                }
                empty="Unknown: the profile lacks the peaks of the chip or the work of its ops"
              />
            }
          >
            <DataTable
              rows={visible()}
              rowCount={props.report.row_count - hiddenCount()}
              loadedCount={tree().length - hiddenCount()}
              columns={columns()}
              state={{ ...table, query: () => '', sort: () => null }}
              noun="node"
              compare={compareNodes(tree)}
              fileName={`${name()}-op-tree`}
              isFilling
              isOrdered
              isBare
              tools={tools()}
              menu={({ row }) =>
                row.kind === 'op' ? opMenu(row.op, row.program_id, 'elsewhere') : []
              }
              onRow={(node) => show(node.index)}
              isSelected={(node) => node.row === shown()}
              empty={
                <NoMatch
                  noun="node"
                  query={table.query()}
                  hint={unknownField(table.query(), SEARCHED)}
                  onClear={() => table.setQuery('')}
                />
              }
            />
          </Show>
        </section>
        <Show when={shown()}>{(row) => <NodeDetails row={row()} close={() => show(-1)} />}</Show>
      </div>
    </>
  );
}

function Icicle(props: {
  report: OpTreeReport;
  /** The names of its rows in links. */
  keys: LinkKeys;
  matching: ReadonlySet<number> | null;
  onShow: (index: number) => void;
}) {
  const nodes = createMemo(() => buildTree(props.report.rows));
  const pairs = useRowPairs(nodes, () => (isByChange() ? compareNodes(nodes) : undefined));
  const changeAt = (index: number) => {
    const [found, node] = [pairs(), nodes()[index]];
    return found && node ? changeIn(found, node, SELF) : null;
  };
  const colorOf = (row: OpTreeRow, index: number) => {
    if (pairs()) return changeColor(changeAt(index));
    if (row.kind === 'idle') return { color: themeColor('line-strong'), strength: 0.5 };
    if (!isByUse(props.report)) return { color: classColor(row.class), strength: 0.6 };
    return row.best_ratio === null
      ? { color: themeColor('text-faint'), strength: 0.3 }
      : { color: useColor(row.best_ratio), strength: 0.7 };
  };
  const flame = createMemo(() =>
    buildFlame(
      props.report.rows.map((row, index) => ({
        title: row.duplicate_count > 1 ? `${row.name} ×${row.duplicate_count}` : row.name,
        depth: row.depth,
        weight: row.kind === 'idle' && !hasIdle() ? 0 : row.self_ps,
        ...colorOf(row, index),
      })),
    ),
  );
  const zoom = createMemo(() => props.keys.indexOf(getParam('zoom')));
  const onZoom = (index: number) => {
    setParams({ zoom: props.keys.at(index) }, false);
    props.onShow(index);
  };
  const matches = createMemo(() => {
    const found = props.matching;
    return found === null ? null : matchesOf(flame(), (index) => found.has(index));
  });
  return (
    <section class="card op-tree-icicle">
      <div class="op-tree-bar">
        <span class="segmented">
          <For each={BY}>
            {([key, title]) => (
              <button
                aria-pressed={by() === key}
                onClick={() => setParams({ by: key, zoom: null, node: null }, false)}
              >
                {title}
              </button>
            )}
          </For>
        </span>
        <label class="op-tree-check">
          <input
            type="checkbox"
            checked={hasIdle()}
            onChange={(event) =>
              setParams(
                {
                  idle: event.currentTarget.checked ? 'include' : null,
                  zoom: null,
                  node: null,
                },
                false,
              )
            }
          />
          Idle time
        </label>
        <FlameFound tree={flame()} matches={matches()} noun="node" />
        <FlamePath tree={flame()} zoom={zoom()} onZoom={onZoom} />
        <span class="spacer" />
        <Totals report={props.report} />
        <span class="segmented">
          <Show when={baseline() !== null}>
            <button
              aria-pressed={isByChange()}
              onClick={() => setParams({ color: 'change' }, false)}
            >
              Color by change
            </button>
          </Show>
          <button
            aria-pressed={!isByChange() && isByUse(props.report)}
            onClick={() => setParams({ color: 'use' }, false)}
          >
            {baseline() === null ? 'Color by utilization' : 'by utilization'}
          </button>
          <button
            aria-pressed={!isByChange() && !isByUse(props.report)}
            onClick={() => setParams({ color: 'category' }, false)}
          >
            by class
            </button>
        </span>
        <Show when={isByChange()} fallback={<Legend report={props.report} />}>
          <ChangeLegend />
        </Show>
      </div>
      <FlameGraph
        tree={flame()}
        zoom={zoom()}
        onZoom={onZoom}
        found={matches()?.found ?? null}
        weight="self_ps"
        menu={(index) => {
          const row = props.report.rows[index];
          return row?.op ? opMenu(row.op, row.program_id, 'elsewhere') : [];
        }}
        label={`Icicle of ${plural(props.report.rows.length, 'node')}`}
        details={(index) => <Hover row={props.report.rows[index]} change={changeAt(index)} />}
      />
    </section>
  );
}

function Totals(props: { report: OpTreeReport }) {
  return (
    <span class="op-tree-totals">
      <span data-figure="op_tree.rows.self_ps">total self time {formatDuration(props.report.self_ps)}</span>
      <Show when={props.report.idle_ps !== null}>
        , <span data-figure="op_tree.idle_ps">idle {formatDuration(props.report.idle_ps)}</span>
      </Show>
      <Show when={props.report.wasted_ps !== null}>
        , <strong data-figure="op_tree.rows.wasted_ps">wasted {formatDuration(props.report.wasted_ps)}</strong>
      </Show>
    </span>
  );
}

function Legend(props: { report: OpTreeReport }) {
  const classes = () => [
    ...new Set(props.report.rows.flatMap((row) => (row.kind === 'op' ? [row.class] : []))),
  ];
  return (
    <Show
      when={isByUse(props.report)}
      fallback={
        <LegendLine
          entries={classes().map((name) => colorMeaning(classTitle(name), classColor(name)))}
        />
      }
    >
      <span class="muted op-tree-scale">
        <span data-figure="op_tree.rows.best_ratio">
          0 % <span class="op-tree-gradient" style={{ background: USE_GRADIENT }} /> 100 % of a peak
        </span>
        <span>
          <span class="swatch op-tree-unknown" /> unknown
        </span>
      </span>
    </Show>
  );
}

function Hover(props: { row: OpTreeRow | undefined; change: Change | null }) {
  return (
    <Show when={props.row}>
      {(row) => (
        <>
          <p class="mono">
            <strong>{row().name}</strong>
          </p>
          <p class="muted">
            {row().kind}
            {row().category && row().category !== row().name ? `, ${row().category}` : ''}
            {row().duplicate_count > 1 ? `, ${row().duplicate_count} identical ops` : ''}
          </p>
          <table>
            <tbody>
              <tr>
                <td>Self</td>
                <td class="number">{formatDuration(row().self_ps)}</td>
                <td class="number">{formatRatio(row().ratio)}</td>
              </tr>
              <Show when={props.change}>
                {(change) => (
                  <tr>
                    <td>Baseline</td>
                    <td class="number">{formatDuration(Math.round(change().before ?? 0))}</td>
                    <td class="number">
                      <TextChange change={change()} kind="duration" />
                    </td>
                  </tr>
                )}
              </Show>
              <Show when={row().wasted_ps !== null}>
                <tr>
                  <td>Wasted</td>
                  <td class="number">{formatDuration(row().wasted_ps)}</td>
                  <td />
                </tr>
              </Show>
              <Show when={row().flop_rate !== null}>
                <tr>
                  <td>Compute</td>
                  <td class="number">{format('flop_rate', row().flop_rate)}</td>
                  <td class="number">{formatRatio(row().compute_ratio)}</td>
                </tr>
                <tr>
                  <td>Memory</td>
                  <td class="number">{format('bandwidth', row().bandwidth)}</td>
                  <td class="number">{formatRatio(row().levels[0]?.ratio)}</td>
                </tr>
              </Show>
            </tbody>
          </table>
        </>
      )}
    </Show>
  );
}

function NoOps() {
  return (
    <EmptyState title="No ops in this selection" actions={<ClearSelection />}>
      <Icon name="search" /> The selection above matches no ops, or no device work was recorded
      while tracing.
    </EmptyState>
  );
}
