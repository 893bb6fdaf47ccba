/** Time by JAX name stack or by source line, as a tree with forward, backward and recomputation. */
import { createEffect, createMemo, createSignal, on, Show } from 'solid-js';

import { compareTable } from '../../compare/identity';
import { formatDuration, formatRatio } from '../../format/numbers';
import { escapeRegex } from '../../format/text';
import { Icon } from '../../shell/icons';
import { summaryOf } from '../../shell/session';
import { getParam, select, selectionParams, setParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { DividedBar, Legend } from '../../widgets/bars';
import { EmptyState } from '../../widgets/empty';
import { FoldAll } from '../../widgets/fold-all';
import { Remarks, Warnings } from '../../widgets/notes';
import { SearchField } from '../../widgets/search-field';
import { parseFilter } from '../../widgets/table/filter';
import type { Column } from '../../widgets/table/rows';
import { urlTableState } from '../../widgets/table/state';
import { NoMatch } from '../../widgets/table/no-match';
import { DataTable } from '../../widgets/table/table';
import type { ScopeRow } from '../../wire/generated/ScopeRow';
import { buildTree, visibleNodes, worthOpening, type Node as TreeNode } from '../../widgets/tree';
import type { ScopesReport } from '../../wire/generated/ScopesReport';
import { createReport } from '../../wire/report';
import { ScopeFlame } from './flame';
import { Layers } from './layers';
import './scopes.css';
import { declared } from '../../widgets/table/declared';

type Node = TreeNode<ScopeRow>;

const LIMIT = 20000;

const compareNodes = (tree: () => readonly Node[]) =>
  compareTable('scopes.rows', (report: ScopesReport) => buildTree(report.rows), {
    among: tree,
    of: (node: Node) => node.row,
    // Scopes are sums of ops: if no op changed by more than noise, no scope did.
    evidence: (_node, { opsEvidence }) =>
      opsEvidence === 'beyond_noise' ? undefined : opsEvidence,
  });

/** Time without a name stack. */
const UNKNOWN_COLOR = 'var(--text-faint)';

const PHASES = [
  { title: 'Forward', color: 'var(--phase-forward)', figure: 'scopes.rows.forward_ps' },
  { title: 'Backward', color: 'var(--phase-backward)', figure: 'scopes.rows.backward_ps' },
  { title: 'Remat.', color: 'var(--phase-rematerialized)', figure: 'scopes.rows.rematerialized_ps' },
  { title: 'Unknown', color: UNKNOWN_COLOR, figure: 'scopes.unknown' },
];

/** Work without a name stack is in no pass. */
const unknownOf = (row: ScopeRow) =>
  Math.max(0, row.total_ps - row.forward_ps - row.backward_ps - row.rematerialized_ps);

/** The time of each pass that has any. */
function passesOf(row: ScopeRow): string {
  const passes: [string, number][] = [
    ['Forward', row.forward_ps],
    ['Backward', row.backward_ps],
    ['Rematerialized', row.rematerialized_ps],
    ['Unknown, no scope', unknownOf(row)],
  ];
  return passes
    .filter(([, time]) => time > 0)
    .map(([title, time]) => `${title} ${formatDuration(time)}`)
    .join('\n');
}

export default function ScopesView(props: ViewProps) {
  const by = () => (getParam('by') === 'source' ? 'source' : 'scope');
  const report = createReport(
    'scopes',
    () => props.session,
    () => ({
      ...selectionParams(),
      limit: LIMIT,
      by: by() === 'source' ? 'source' : null,
      'split-combined': isSplit() ? 'true' : null,
    }),
  );
  const table = urlTableState('total_ps');

  return (
    <AnswerView answer={report}>
      {(data) => {
        const tree = createMemo(() => buildTree(data().rows));
        const [open, setOpen] = createSignal<ReadonlySet<number>>(new Set());
        createEffect(on(tree, (nodes) => setOpen(worthOpening(nodes))));
        const columns = createMemo(() =>
          columnsFor(
            data().total_self_ps,
            open,
            by() === 'source' ? 'Source' : 'Scope',
            data().rows.some((row) => row.depth === 0 && unknownOf(row) > 0),
          ),
        );
        const filter = createMemo(() => parseFilter(table.query(), columns()));
        const matching = createMemo(() => {
          const { test } = filter();
          return test && new Set(tree().filter(test).map((node) => node.index));
        });
        const visible = createMemo(() => visibleNodes(tree(), open(), matching()));
        const toggle = (node: Node) => {
          if (node.row.child_count === 0) return;
          const next = new Set(open());
          if (!next.delete(node.index)) next.add(node.index);
          setOpen(next);
        };
        const setDepth = (depth: number) =>
          setOpen(
            new Set(
              tree()
                .filter((node) => node.row.depth < depth)
                .map((node) => node.index),
            ),
          );
        // Without combined ops, there is nothing to split.
        const hasCombined = createMemo(
          () => isSplit() || data().rows.some((row) => row.paths.length > 0),
        );
        const tools = () => (
          <>
            <SearchField
              label="Filter scopes"
              placeholder="Filter: total>1ms"
              value={table.query()}
              onInput={table.setQuery}
              error={filter().error}
            />
            <BySwitch />
            <ShapeSwitch />
            <Show when={by() === 'scope' && hasCombined()}>
              <CombinedSwitch />
            </Show>
            <Show when={!isFlame()}>
              <FoldAll onFold={() => setDepth(0)} onUnfold={() => setDepth(Infinity)} />
            </Show>
          </>
        );
        const summary = () => (
          <span class="muted" data-figure="ops.attributed_ratio">
            total self time {formatDuration(data().total_self_ps)}
            <Show when={data().attributed_ratio !== null}>
              , {formatRatio(data().attributed_ratio)} attributed
            </Show>
          </span>
        );
        return (
          <div class="page is-filling">
            <Warnings notes={data().notes} />
            <Show
              when={data().rows.length > 0}
              fallback={<NoScopes isSource={by() === 'source'} />}
            >
              <Show when={isLayers()}>
                <div>
                  <ShapeSwitch />
                </div>
                <Layers report={data()} name={summaryOf(props.session)?.name ?? 'session'} />
              </Show>
              <Show when={!isLayers()}>
                <section class="card is-main">
                  <Show
                    when={!isFlame()}
                    fallback={
                      <>
                        <div class="scope-tools">{tools()}</div>
                        <ScopeFlame
                          rows={data().rows}
                          found={matching()}
                          totalPs={data().total_self_ps}
                          compare={compareNodes(tree)}
                        />
                        <p class="table-foot">{summary()}</p>
                      </>
                    }
                  >
                    <DataTable
                      rows={visible()}
                      rowCount={data().row_count}
                      loadedCount={tree().length}
                      columns={columns()}
                      state={{ ...table, query: () => '', sort: () => null }}
                      noun="scope"
                      compare={compareNodes(tree)}
                      fileName={`stepscope-${summaryOf(props.session)?.name ?? 'session'}-scopes`}
                      isFilling
                      isOrdered
                      isBare
                      onRow={toggle}
                      tools={tools()}
                      summary={summary()}
                      empty={
                        <NoMatch
                          noun="scope"
                          query={table.query()}
                          onClear={() => table.setQuery('')}
                        />
                      }
                    />
                  </Show>
                </section>
              </Show>
            </Show>
            <Remarks notes={data().notes} />
          </div>
        );
      }}
    </AnswerView>
  );
}

const isFlame = () => getParam('as') === 'flame';
const isLayers = () => getParam('as') === 'layers' && getParam('by') !== 'source';

function ShapeSwitch() {
  return (
    <span class="segmented">
      <button aria-pressed={!isFlame() && !isLayers()} onClick={() => setParams({ as: null, zoom: null }, false)}>
        Table
      </button>
      <button aria-pressed={isFlame()} onClick={() => setParams({ as: 'flame' }, false)}>
        Flame graph
      </button>
      <Show when={getParam('by') !== 'source'}>
        <button
          aria-pressed={isLayers()}
          onClick={() => setParams({ as: 'layers', zoom: null }, false)}
        >
          Layers
        </button>
      </Show>
    </span>
  );
}

const isSplit = () => getParam('combined') === 'split' && getParam('by') !== 'source';

function CombinedSwitch() {
  return (
    <label class="scope-split" data-figure="scopes.combined">
      <input
        type="checkbox"
        checked={isSplit()}
        onChange={(event) => {
          const combined = event.currentTarget.checked ? 'split' : null;
          setParams({ combined, q: null, zoom: null }, false);
        }}
      />
      Split combined
    </label>
  );
}

function BySwitch() {
  const by = () => getParam('by') ?? 'scope';
  return (
    <span class="segmented">
      <button
        aria-pressed={by() !== 'source'}
        onClick={() => setParams({ by: null, q: null, zoom: null }, false)}
      >
        By scope
      </button>
      <button
        aria-pressed={by() === 'source'}
        onClick={() => setParams({ by: 'source', q: null, zoom: null }, false)}
      >
        By source
      </button>
    </span>
  );
}

const MOST_PATHS_IN_TIP = 30;

/** The path and, for combined ops, the paths they serve. */
function tipOf(row: ScopeRow): string {
  if (row.paths.length === 0) return row.path;
  const shown = row.paths.slice(0, MOST_PATHS_IN_TIP);
  const rest = row.paths.length - shown.length;
  return [row.path, ...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n');
}

function columnsFor(
  totalPs: number,
  open: () => ReadonlySet<number>,
  title: string,
  /** Whether any work has no scope. */
  hasUnknown: boolean,
): Column<Node>[] {
  return declared<Node>('scopes.rows', [
    {
      key: 'path',
      width: 340,
      value: (node) => node.row.path,
      cell: (node) => (
        <span
          class="scope-name"
          style={{ 'padding-left': `${node.row.depth * 16}px` }}
          data-tip={tipOf(node.row)}
        >
          <span
            class="scope-fold"
            classList={{ 'is-open': open().has(node.index), 'is-leaf': node.row.child_count === 0 }}
          >
            <Icon name="right" />
          </span>
          <span class="scope-text">{node.row.name || node.row.path}</span>
          <button
            class="scope-select quiet"
            data-tip="Select only this in every view"
            onClick={(event) => {
              event.stopPropagation();
              select('match', escapeRegex(node.row.path));
            }}
          >
            Select
          </button>
        </span>
      ),
    },
    {
      key: 'total_ps',
      width: 96,
      scale: 'time',
      value: (node) => node.row.total_ps,
    },
    {
      key: 'ratio',
      width: 76,
      value: (node) => node.row.ratio,
    },
    {
      key: 'phases',
      title: 'Phases',
      head: () => <Legend entries={hasUnknown ? PHASES : PHASES.slice(0, -1)} />,
      figure: 'scopes.phases',
      width: hasUnknown ? 354 : 280,
      value: () => null,
      cell: ({ row }) => (
        <DividedBar
          total={totalPs}
          tip={passesOf(row)}
          pieces={[
            { title: 'Forward', value: row.forward_ps, color: 'var(--phase-forward)' },
            { title: 'Backward', value: row.backward_ps, color: 'var(--phase-backward)' },
            {
              title: 'Rematerialized',
              value: row.rematerialized_ps,
              color: 'var(--phase-rematerialized)',
            },
            { title: 'Unknown', value: unknownOf(row), color: UNKNOWN_COLOR },
          ]}
        />
      ),
    },
    {
      key: 'self_ps',
      width: 90,
      scale: 'time',
      value: (node) => node.row.self_ps,
    },
    {
      key: 'occurrences',
      width: 84,
      value: (node) => node.row.occurrences,
    },
    {
      key: 'forward_ps',
      width: 100,
      scale: 'time',
      value: (node) => node.row.forward_ps,
    },
    {
      key: 'backward_ps',
      width: 108,
      scale: 'time',
      value: (node) => node.row.backward_ps || null,
      cell: (node, scale) => scale.text(node.row.backward_ps),
      isOptional: true,
    },
    {
      key: 'rematerialized_ps',
      width: 140,
      scale: 'time',
      value: (node) => node.row.rematerialized_ps || null,
      cell: (node, scale) => scale.text(node.row.rematerialized_ps),
      isOptional: true,
    },
    {
      key: 'estimated_ps',
      width: 110,
      scale: 'time',
      value: (node) => node.row.estimated_ps || null,
      cell: (node, scale) => (node.row.estimated_ps ? scale.text(node.row.estimated_ps) : ''),
      isOptional: true,
    },
    {
      key: 'paths',
      width: 300,
      value: (node) => node.row.paths.join('; '),
      isOptional: true,
    },
    {
      key: 'flops',
      width: 100,
      value: (node) => node.row.flops,
      isOptional: true,
    },
    {
      key: 'bytes',
      width: 96,
      value: (node) => node.row.bytes,
      isOptional: true,
    },
  ]).map((column) => (column.key === 'path' ? { ...column, title } : column));
}

function NoScopes(props: { isSource: boolean }) {
  return (
    <>
      <div>
        <BySwitch />
      </div>
      <EmptyState
        title={props.isSource ? 'No source lines in this profile' : 'No scopes in this profile'}
        code={'with jax.named_scope("attention"):\n    …'}
      >
        Scopes come from the names that JAX gives to ops during tracing. This profile has none for the
        selected work: it was recorded without compiled programs (XLA's HLO), or the ops ran outside
        jit. Named scopes make the tree readable:
      </EmptyState>
    </>
  );
}
