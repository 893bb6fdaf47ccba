/** The flame graph of live memory by stack, and the details of one frame. */
import { createMemo, createSignal, For, Show } from 'solid-js';

import { format, formatRatio, plural } from '../../format/numbers';
import { parsePattern } from '../../format/pattern';
import { getParam, setParams } from '../../shell/state';
import { themeColor } from '../../shell/theme';
import { SearchField } from '../../widgets/search-field';
import { FlameFound, FlameGraph, FlamePath } from '../../widgets/flame/flame';
import { buildFlame, matchesOf } from '../../widgets/flame/layout';
import { createFlameZoom } from '../../widgets/flame/zoom';
import type { HeapFrameRow } from '../../wire/generated/HeapFrameRow';
import type { HeapReport } from '../../wire/generated/HeapReport';
import { COLORS, framesOf, heldBy, signed, type Meaning, type Measure } from './frames';
import { measure } from './pickers';

export function Flame(props: { report: HeapReport }) {
  const frames = createMemo(() =>
    framesOf(props.report.tree, measure(), (meaning) => themeColor(COLORS[meaning])),
  );
  const tree = createMemo(() => buildFlame(frames()));
  const { zoom, onZoom } = createFlameZoom(tree);
  const [search, setSearch] = createSignal(getParam('find') ?? '');
  const matches = createMemo(() => {
    const text = search();
    if (!text) return null;
    const test = parsePattern(text).test;
    return matchesOf(tree(), (index) => {
      const row = props.report.tree[index];
      return row !== undefined && (test(row.name) || test(row.source));
    });
  });
  const meanings = (): [Meaning, string][] =>
    props.report.against === null
      ? [
          ['own', 'your code, shaded by file'],
          ...(props.report.has_internal
            ? ([['internal', 'JAX, libraries, Python']] satisfies [Meaning, string][])
            : []),
        ]
      : [
          ['grown', 'grown'],
          ['shrunk', 'shrunk'],
          ['same', 'unchanged'],
        ];
  return (
    <section class="card heap-flame">
      <div class="heap-flame-bar">
        <SearchField
          label="Find functions"
          placeholder="Find functions: text or regular expression"
          value={search()}
          onInput={(text) => {
            setSearch(text);
            setParams({ find: text }, true);
          }}
        />
        <FlameFound tree={tree()} matches={matches()} noun="frame" />
        <FlamePath tree={tree()} zoom={zoom()} onZoom={onZoom} />
        <span class="spacer" />
        <For each={meanings()}>
          {([meaning, words]) => (
            <span class="heap-legend">
              <span class="swatch" style={{ background: `var(--${COLORS[meaning]})` }} /> {words}
            </span>
          )}
        </For>
      </div>
      <FlameGraph
        tree={tree()}
        zoom={zoom()}
        onZoom={onZoom}
        found={matches()?.found ?? null}
        weight={measure()}
        label={`Flame graph of ${plural(tree().frames.length, 'frame')}`}
        details={(index) => {
          const row = props.report.tree[index];
          return row ? <FrameDetails row={row} report={props.report} /> : null;
        }}
      />
    </section>
  );
}

function FrameDetails(props: { row: HeapFrameRow; report: HeapReport }) {
  const lines = (): [string, Measure][] => [
    ['Bytes', 'bytes'],
    ['Allocations', 'allocations'],
  ];
  const text = (by: Measure, value: number) => format(by === 'bytes' ? 'bytes' : 'count', value);
  const share = () => {
    const by = measure();
    const total = by === 'bytes' ? props.report.total_bytes : props.report.total_allocations;
    return total > 0 ? heldBy(props.row, by).now / total : null;
  };
  return (
    <>
      <p class="mono">
        <strong>{props.row.name}</strong>
      </p>
      <p class="muted">{props.row.source || 'no source recorded'}</p>
      <table>
        <thead>
          <tr class="muted">
            <td />
            <td>with callees</td>
            <td>self</td>
            <Show when={props.report.against !== null}>
              <td>change</td>
            </Show>
          </tr>
        </thead>
        <tbody>
          <For each={lines()}>
            {([title, by]) => {
              const held = () => heldBy(props.row, by);
              return (
                <tr>
                  <td>{title}</td>
                  <td class="number">{text(by, held().now)}</td>
                  <td class="number">{text(by, held().own)}</td>
                  <Show when={props.report.against !== null}>
                    <td class="number">
                      {signed(text(by, held().change ?? 0), held().change ?? 0)}
                    </td>
                  </Show>
                </tr>
              );
            }}
          </For>
        </tbody>
      </table>
      <Show when={share() !== null}>
        <p class="muted">{formatRatio(share())} of the selection</p>
      </Show>
    </>
  );
}
