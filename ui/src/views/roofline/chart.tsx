/** Rate over intensity on logarithmic axes, with the roofs of the chip. */
import { createMemo, createSignal, For, Show } from 'solid-js';

import { largestRows } from '../../format/largest';
import { classColor } from '../../format/palette';
import type { Frame } from '../../widgets/chart/frame';
import { Plot } from '../../widgets/chart/plot';
import { closest, type Place } from '../../widgets/chart/points';
import type { RooflinePeak } from '../../wire/generated/RooflinePeak';
import type { RooflineRow } from '../../wire/generated/RooflineRow';
import { ceilings } from './ceilings';
import type { Corner, Region } from './region';
import { flatNames, slopeNames } from './names';
import { intensityOf, Tip } from './tip';
import { CeilingLine, flatName, flatNameY, Roof, roofLine, roofName } from './roof';
import { decadeAxis, decadesAround, intensityText, rateText } from './scale';

/** Maximum number of points drawn; the table has all ops. */
const MOST_POINTS = 1200;

const LEVELS: Record<string, string> = {
  all: 'all bytes',
  hbm: 'device memory',
  cmem_read: 'CMEM reads',
  cmem_write: 'CMEM writes',
  vmem_read: 'VMEM reads',
  vmem_write: 'VMEM writes',
  shared: 'shared memory',
};

/** The title of a memory. */
export const levelTitle = (level: string) => LEVELS[level] ?? level;

/** Rows that logarithmic axes can show: rate and intensity are known and positive. */
export function plottable(rows: readonly RooflineRow[], level: string): RooflineRow[] {
  return rows.filter((row) => (row.flop_rate ?? 0) > 0 && (intensityOf(row, level) ?? 0) > 0);
}

/** Those that the chart draws. */
export function plotted(rows: readonly RooflineRow[], level: string): readonly RooflineRow[] {
  return largestRows(plottable(rows, level), MOST_POINTS, (row) => row.self_ps);
}

interface ChartProps {
  rows: readonly RooflineRow[];
  scopes: readonly RooflineRow[];
  peaks: readonly RooflinePeak[];
  level: string;
  selected: RooflineRow | undefined;
  onSelect: (row: RooflineRow | undefined) => void;
  /** The part of the chart whose ops are listed. */
  region: Region | null;
  onRegion: (region: Region | null) => void;
}

/** Pixels around a point that belong to it. */
const REACH = 18;

export function RooflineChart(props: ChartProps) {
  const [pointed, setPointed] = createSignal<number | null>(null);
  const intensity = (row: RooflineRow) => intensityOf(row, props.level) ?? 0;
  /** In the order of the report, large ones below small ones. */
  const points = createMemo(() => plotted(props.rows, props.level));
  const marks = createMemo(() => plotted(props.scopes, props.level));
  /** From left to right, for navigation by keyboard. */
  const all = createMemo(() =>
    [points(), marks()].flatMap((rows) =>
      [...rows].sort((one, other) => intensity(one) - intensity(other)),
    ),
  );
  const flops = () => props.peaks.find((peak) => peak.level === 'compute')?.per_second ?? null;
  const memories = createMemo(() =>
    props.peaks.filter((peak) => peak.level !== 'compute' && peak.per_second !== null),
  );
  const flat = createMemo(() => ceilings(props.rows, props.peaks));
  /** Of the memory whose bytes are counted: where its slope meets a ceiling. */
  const mainBytes = () => memories().find(({ level }) => isMain(level, props.level))?.per_second;
  const across = createMemo(() =>
    decadesAround([
      ...all().map(intensity),
      ...memories().map((peak) => peak.ridge_intensity ?? 0),
    ]),
  );
  const upwards = createMemo(() =>
    decadesAround([
      ...all().map((row) => row.flop_rate ?? 0),
      ...flat().map(({ perSecond }) => perSecond),
      flops() ?? 0,
    ]),
  );
  const slopes = (frame: Frame) =>
    slopeNames(
      memories().map((peak) => {
        const bytes = peak.per_second ?? 1;
        const line = roofLine(across(), frame, bytes, flops());
        const ridge = frame.x(Math.min(peak.ridge_intensity ?? Infinity, across().to));
        return { name: roofName(levelTitle(peak.level), bytes), line, ridge };
      }),
      flat().map(({ perSecond }) => {
        const y = frame.y(perSecond);
        return [{ x: frame.x(perSecond / (mainBytes() ?? Infinity)), y }, { x: frame.width, y }];
      }),
      frame,
    );
  /** Of the stated peak, then of the others. */
  const flats = (frame: Frame) => {
    const stated = { title: 'compute', perSecond: flops() ?? 0 };
    return flatNames(
      [stated, ...flat()].map(({ title, perSecond }) => ({
        name: flatName(title, perSecond),
        y: flatNameY(frame.y(perSecond || 1), perSecond < stated.perSecond),
      })),
    );
  };
  const placeOf = (row: RooflineRow, frame: Frame) => ({
    x: frame.x(intensity(row)),
    y: frame.y(row.flop_rate ?? 1),
  });
  const radius = (row: RooflineRow) => 3 + 13 * Math.sqrt(Math.min(1, row.self_ratio));
  return (
    <Plot
      class="roofline-chart"
      label={`Roofline of ${points().length} ops`}
      x={decadeAxis('FLOP/B', across(), intensityText, 70)}
      y={decadeAxis('FLOP/s', upwards(), rateText, 34)}
      rows={[points().length, marks().length]}
      hit={(at, frame) =>
        closest(
          all().map((row) => placeOf(row, frame)),
          at,
          REACH,
        )
      }
      placeOf={(index, frame) => {
        const row = all()[index];
        return row ? placeOf(row, frame) : { x: 0, y: 0 };
      }}
      at={pointed()}
      onAt={setPointed}
      onOpen={(index) => {
        const row = all()[index];
        props.onSelect(row?.kind === 'op' ? row : undefined);
      }}
      onMiss={() => (props.region ? props.onRegion(null) : props.onSelect(undefined))}
      dragShape="box"
      onDrag={(from, to, frame) => props.onRegion(boxBetween(from, to, frame))}
      onLasso={(path, frame) => props.onRegion(lassoAlong(path, frame))}
      onReset={() => props.onRegion(null)}
      data={() => ({
        columns: ['name', 'kind', 'intensity', 'flop_rate', 'self_ps'],
        rows: all().map((row) => [row.name, row.kind, intensity(row), row.flop_rate, row.self_ps]),
      })}
      isClipped
      readout={(index) => <Tip row={all()[index]} level={props.level} />}
    >
      {(frame) => (
        <>
          <For each={memories()}>
            {(peak, position) => (
              <Roof
                place={slopes(frame())[position()]!}
                fromRight={flats(frame())[0]!}
                peak={peak}
                title={levelTitle(peak.level)}
                flops={flops()}
                axis={across()}
                frame={frame()}
                isMain={isMain(peak.level, props.level)}
              />
            )}
          </For>
          <For each={flat()}>
            {(ceiling, position) => (
              <CeilingLine
                fromRight={flats(frame())[position() + 1]!}
                ceiling={ceiling}
                bytes={mainBytes() ?? null}
                flops={flops()}
                axis={across()}
                frame={frame()}
              />
            )}
          </For>
          <Show when={props.region}>
            {(region) => <path class="roofline-region" d={outlineOf(region(), frame())} />}
          </Show>
          <For each={points()}>
            {(row) => (
              <circle
                class="roofline-point"
                classList={{
                  'is-selected': row === props.selected,
                  'is-over': row.is_over_peak,
                  'is-pointed': row === all()[pointed() ?? -1],
                }}
                cx={placeOf(row, frame()).x}
                cy={placeOf(row, frame()).y}
                r={radius(row)}
                fill={classColor(row.class)}
              />
            )}
          </For>
          <For each={marks()}>
            {(row) => (
              <path
                class={`roofline-mark is-${row.kind}`}
                classList={{ 'is-pointed': row === all()[pointed() ?? -1] }}
                d={`M ${placeOf(row, frame()).x} ${placeOf(row, frame()).y - 7} l 7 7 l -7 7 l -7 -7 z`}
              />
            )}
          </For>
        </>
      )}
    </Plot>
  );
}

/** The values of the axes at a place, or at the nearest one in the plot. */
function cornerAt({ x, y }: Place, frame: Frame): Corner {
  const clamped = (at: number, length: number) => Math.max(0, Math.min(length, at));
  return {
    intensity: frame.atX(clamped(x, frame.width)),
    rate: frame.atY(clamped(y, frame.height)),
  };
}

const lassoAlong = (path: readonly Place[], frame: Frame): Region => ({
  shape: 'lasso',
  corners: path.map((place) => cornerAt(place, frame)),
});

/** The rectangle of a drag, in the values of the axes. */
function boxBetween(one: Place, other: Place, frame: Frame): Region {
  const corners = [one, other].map((place) => cornerAt(place, frame));
  const rangeOf = (values: number[]) => ({ from: Math.min(...values), to: Math.max(...values) });
  return {
    shape: 'rectangle',
    intensity: rangeOf(corners.map(({ intensity }) => intensity)),
    rate: rangeOf(corners.map(({ rate }) => rate)),
  };
}

/** The closed line around a region. */
function outlineOf(region: Region, frame: Frame): string {
  const corners = region.shape === 'lasso' ? region.corners : cornersOf(region);
  const places = corners.map(({ intensity, rate }) => `${frame.x(intensity)} ${frame.y(rate)}`);
  return `M ${places.join(' L ')} Z`;
}

const cornersOf = ({ intensity, rate }: Region & { shape: 'rectangle' }): Corner[] => [
  { intensity: intensity.from, rate: rate.from },
  { intensity: intensity.to, rate: rate.from },
  { intensity: intensity.to, rate: rate.to },
  { intensity: intensity.from, rate: rate.to },
];

/** Whether a roof is that of the chosen memory; for all bytes, that of device memory. */
const isMain = (roof: string, level: string) => roof === (level === 'all' ? 'hbm' : level);
