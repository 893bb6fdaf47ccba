/** The tree of scopes as a flame graph: width is time, color is the pass with most of it. */
import { createMemo, For, Show } from 'solid-js';

import type { Change } from '../../compare/change';
import type { RowComparison } from '../../compare/pairing';
import { formatDuration, formatRatio, plural } from '../../format/numbers';
import { escapeRegex } from '../../format/text';
import { shared } from '../../shell/shared';
import { baseline, getParam, select, setParams } from '../../shell/state';
import { themeColor } from '../../shell/theme';
import { useRowPairs } from '../../widgets/against';
import { changeColor, ChangeLegend, TextChange } from '../../widgets/change';
import { FlameFound, FlameGraph, FlamePath } from '../../widgets/flame/flame';
import { buildFlame, matchesOf, type FlameFrame } from '../../widgets/flame/layout';
import { createFlameZoom } from '../../widgets/flame/zoom';
import type { MenuEntry } from '../../widgets/menu/menu';
import { changeIn } from '../../widgets/table/changes';
import { buildTree, type Node as TreeNode } from '../../widgets/tree';
import type { ScopeRow } from '../../wire/generated/ScopeRow';
import { declaredColumn } from '../../widgets/table/declared';

type Node = TreeNode<ScopeRow>;

/** The column whose change colors the frames. */
const TOTAL = declaredColumn<Node>('scopes.rows', {
  key: 'total_ps',
  width: 0,
  value: (node) => node.row.total_ps,
});

const PASSES = [
  { title: 'mostly forward', color: 'phase-forward', figure: 'forward_ps' },
  { title: 'mostly backward', color: 'phase-backward', figure: 'backward_ps' },
  { title: 'mostly rematerialized', color: 'phase-rematerialized', figure: 'rematerialized_ps' },
] as const;

/** The pass with most of the time; undefined if no time belongs to a pass. */
export function passOf(row: ScopeRow): (typeof PASSES)[number] | undefined {
  const largest = [...PASSES].sort((one, other) => row[other.figure] - row[one.figure])[0];
  return largest && row[largest.figure] > 0 ? largest : undefined;
}

export function ScopeFlame(props: {
  rows: readonly ScopeRow[];
  /** Positions of the rows that the filter found; null without one. */
  found: ReadonlySet<number> | null;
  totalPs: number;
  /** How nodes are paired with the baseline's. */
  compare: RowComparison<Node>;
}) {
  const isByChange = () => baseline() !== null && getParam('color') !== 'pass';
  const nodes = createMemo(() => buildTree(props.rows));
  const pairs = useRowPairs(nodes, () => (isByChange() ? { ...props.compare, among: nodes } : undefined));
  const changeAt = (index: number) => {
    const [found, node] = [pairs(), nodes()[index]];
    return found && node ? changeIn(found, node, TOTAL) : null;
  };
  const frames = createMemo<FlameFrame[]>(() =>
    props.rows.map((row, index) => ({
      title: row.name || row.path,
      depth: row.depth,
      weight: row.total_ps,
      ...(pairs()
        ? changeColor(changeAt(index))
        : { color: themeColor(passOf(row)?.color ?? 'text-faint'), strength: 0.5 }),
    })),
  );
  const tree = createMemo(() => buildFlame(frames()));
  const { zoom, onZoom } = createFlameZoom(tree);
  const matches = createMemo(() => {
    const found = props.found;
    return found === null ? null : matchesOf(tree(), (index) => found.has(index));
  });
  return (
    <div class="scope-flame">
      <div class="scope-flame-bar">
        <FlameFound tree={tree()} matches={matches()} noun="scope" />
        <FlamePath tree={tree()} zoom={zoom()} onZoom={onZoom} />
        <span class="spacer" />
        <Show when={baseline() !== null}>
          <span class="segmented">
            <button
              aria-pressed={isByChange()}
              onClick={() => setParams({ color: null }, false)}
            >
              Color by change
            </button>
            <button
              aria-pressed={!isByChange()}
              onClick={() => setParams({ color: 'pass' }, false)}
            >
              by pass
            </button>
          </span>
        </Show>
        <Show
          when={isByChange()}
          fallback={
            <For each={PASSES}>
              {(pass) => (
                <span class="muted">
                  <span class="swatch" style={{ background: `var(--${pass.color})` }} />{' '}
                  {pass.title}
                </span>
              )}
            </For>
          }
        >
          <ChangeLegend />
        </Show>
      </div>
      <FlameGraph
        tree={tree()}
        zoom={zoom()}
        onZoom={onZoom}
        found={matches()?.found ?? null}
        weight="total_ps"
        menu={(index) => scopeMenu(props.rows[index])}
        label={`Flame graph of ${plural(props.rows.length, 'scope')}`}
        details={(index) => (
          <Details row={props.rows[index]} totalPs={props.totalPs} change={changeAt(index)} />
        )}
      />
    </div>
  );
}

function scopeMenu(row: ScopeRow | undefined): MenuEntry[] {
  if (!row || shared()) return [];
  const match = escapeRegex(row.path);
  return [{ title: 'Only this scope in every view', run: () => select('match', match) }];
}

function Details(props: {
  row: ScopeRow | undefined;
  totalPs: number;
  change: Change | null;
}) {
  return (
    <Show when={props.row}>
      {(row) => (
        <>
          <p class="mono">
            <strong>{row().path}</strong>
          </p>
          <Show when={row().paths.length > 0}>
            <ul class="plain-list mono" aria-label="Paths it serves">
              <For each={row().paths}>{(path) => <li>{path}</li>}</For>
            </ul>
          </Show>
          <table>
            <tbody>
              <tr>
                <td>Total</td>
                <td class="number">{formatDuration(row().total_ps)}</td>
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
              <tr>
                <td>Self</td>
                <td class="number">{formatDuration(row().self_ps)}</td>
                <td class="number">
                  {props.totalPs > 0 ? formatRatio(row().self_ps / props.totalPs) : ''}
                </td>
              </tr>
              <For each={PASSES.filter((pass) => row()[pass.figure] > 0)}>
                {(pass) => (
                  <tr>
                    <td>
                      <span class="swatch" style={{ background: `var(--${pass.color})` }} />{' '}
                      {pass.title.replace('mostly ', '')}
                    </td>
                    <td class="number">{formatDuration(row()[pass.figure])}</td>
                    <td />
                  </tr>
                )}
              </For>
            </tbody>
          </table>
        </>
      )}
    </Show>
  );
}
