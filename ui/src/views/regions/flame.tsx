/** The flame graph of the host, in which width is time, and the details of one frame. */
import { createMemo, createSignal, For, Show } from 'solid-js';

import { formatCount, formatDuration, plural } from '../../format/numbers';
import { parsePattern } from '../../format/pattern';
import { getParam, navigate, setParams } from '../../shell/state';
import { themeColor } from '../../shell/theme';
import type { MenuEntry } from '../../widgets/menu/menu';
import { SearchField } from '../../widgets/search-field';
import { SourceText } from '../../widgets/source-text';
import { FlameFound, FlameGraph, FlamePath } from '../../widgets/flame/flame';
import { FrameFigures } from '../../widgets/flame/frame-figures';
import { buildFlame, matchesOf } from '../../widgets/flame/layout';
import { createFlameZoom } from '../../widgets/flame/zoom';
import type { RegionRow } from '../../wire/generated/RegionRow';
import type { RegionsReport } from '../../wire/generated/RegionsReport';
import { placeOf } from './columns';
import { framesOf, KIND_COLORS, kindOf, titleOf, type Kind } from './frames';

const WORDS: Record<Kind, string> = {
  annotation: 'annotation',
  python: 'Python function, shaded by file',
  runtime: 'runtime',
  other: 'not listed',
};

export function RegionFlame(props: { report: RegionsReport }) {
  const rows = () => props.report.rows;
  const frames = createMemo(() =>
    framesOf(rows(), (kind) => themeColor(KIND_COLORS[kind])),
  );
  const tree = createMemo(() => buildFlame(frames()));
  const { zoom, onZoom } = createFlameZoom(tree);
  const [search, setSearch] = createSignal(getParam('find') ?? '');
  const matches = createMemo(() => {
    const test = search() ? parsePattern(search()).test : null;
    if (!test) return null;
    return matchesOf(tree(), (index) => test(titleOf(rows()[index] as RegionRow)));
  });
  const kinds = () => (Object.keys(WORDS) as Kind[]).filter((kind) => rows().some((row) => kindOf(row) === kind));
  const zoomed = () => rows()[zoom()];
  return (
    <div class="region-flame">
      <div class="region-flame-bar">
        <SearchField
          label="Find regions"
          placeholder="Find regions: text or regular expression"
          value={search()}
          onInput={(text) => {
            setSearch(text);
            setParams({ find: text }, true);
          }}
        />
        <FlameFound tree={tree()} matches={matches()} noun="frame" />
        <FlamePath tree={tree()} zoom={zoom()} onZoom={onZoom} />
        <Show when={zoomed()}>{(row) => <Places row={row()} />}</Show>
        <span class="spacer" />
        <For each={kinds()}>
          {(kind) => (
            <span class="muted">
              <span class="swatch" style={{ background: `var(--${KIND_COLORS[kind]})` }} />{' '}
              {WORDS[kind]}
            </span>
          )}
        </For>
      </div>
      <FlameGraph
        tree={tree()}
        zoom={zoom()}
        onZoom={onZoom}
        found={matches()?.found ?? null}
        weight="total_ps"
        menu={(index) => placesMenu(rows()[index])}
        label={`Flame graph of ${plural(rows().length, 'stack')}`}
        details={(index) => {
          const row = rows()[index];
          return row ? <Details row={row} /> : null;
        }}
      />
    </div>
  );
}

/** The same places as the links of the zoomed frame. */
function placesMenu(row: RegionRow | undefined): MenuEntry[] {
  return (['longest', 'first'] as const).flatMap((which) => {
    const params = row ? placeOf(row, which) : null;
    return params === null
      ? []
      : [{ title: `Show ${which} in Timeline`, run: () => navigate({ view: 'timeline', params }) }];
  });
}

/** Links from the zoomed frame to its occurrences on the timeline, and to its source line. */
function Places(props: { row: RegionRow }) {
  const go = (which: 'first' | 'longest') => () => {
    const params = placeOf(props.row, which);
    if (params) navigate({ view: 'timeline', params });
  };
  return (
    <>
      <Show when={props.row.longest !== null}>
        <button class="quiet" onClick={go('longest')}>
          Show longest in timeline
        </button>
        <button class="quiet" onClick={go('first')}>
          Show first
        </button>
      </Show>
      <Show when={props.row.source}>{(source) => <SourceText text={source()} isStop />}</Show>
    </>
  );
}

function Details(props: { row: RegionRow }) {
  const lines = (): [string, string][] => {
    const { row } = props;
    const time = (picos: number | null) => (picos === null ? '–' : formatDuration(Math.round(picos)));
    return [
      ['Total', time(row.total_ps)],
      ['Self', time(row.self_ps)],
      ['Count', row.count > 0 ? formatCount(row.count) : 'not selected'],
      ['Mean', time(row.mean_ps)],
      ['p95', time(row.p95_ps)],
      ['Per step', time(row.step_ps)],
      ['Device time', row.device_ps === null ? 'unknown' : time(row.device_ps)],
    ];
  };
  return (
    <FrameFigures name={props.row.name} figures={lines()}>
      <Show when={props.row.source}>
        <p class="muted mono">{props.row.source}</p>
      </Show>
    </FrameFigures>
  );
}
