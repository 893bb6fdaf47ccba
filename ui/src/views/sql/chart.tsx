/** An answer as bars, lines or a scatter, with the columns that it shows. */
import { createMemo, createSignal, For, Show } from 'solid-js';

import { format, formatCount, plural } from '../../format/numbers';
import { getParam, setParams } from '../../shell/state';
import { figureAcross, figureAxis, slotsAcross, slotsDown, timeAcross, type AxisOf } from '../../widgets/chart/axis';
import type { Frame } from '../../widgets/chart/frame';
import { linePath } from '../../widgets/chart/paths';
import { Plot } from '../../widgets/chart/plot';
import { closest, type Place } from '../../widgets/chart/points';
import { rangeOf, withRoom } from '../../widgets/chart/scale';
import { colorsOf, seriesColor, seriesLegend } from '../../widgets/chart/series';
import { ReadoutRow } from '../../widgets/chart/readout';
import { Legend } from '../../widgets/bars';
import { OneOnly } from '../../widgets/one-only';
import { truncateMiddle } from '../../format/text';
import type { SqlReport } from '../../wire/generated/SqlReport';
import {
  chartColumns,
  choiceOf,
  forAxis,
  forColor,
  FORMS,
  linesOf,
  piecesOf,
  pointsOf,
  type ChartColumn,
  type ChartPoints,
  type Choice,
  type Piece,
  type Point,
} from './chart-data';

const MOST_BARS = 60;
const BAR_HEIGHT = 22;
/** Room for the button of the chart's menu, and with the axis. */
const MENU_HEIGHT = 20;
const AROUND_BARS = 42;
const HEIGHT = 380;
/** Characters of a name next to its bar. */
const LONGEST_LABEL = 34;
/** Pixels around a point that belong to it. */
const REACH = 20;
/** More points of a line are not marked. */
const MOST_DOTS = 400;

const TITLES = { bar: 'Bars', line: 'Lines', scatter: 'Scatter' } as const;

export function ResultChart(props: { report: SqlReport; onOpen: (row: number) => void }) {
  const columns = createMemo(() => chartColumns(props.report));
  const choice = createMemo(() =>
    choiceOf(columns(), {
      form: getParam('chart'),
      x: getParam('x'),
      y: getParam('y'),
      color: getParam('color') === 'none' ? '' : getParam('color'),
    }),
  );
  return (
    <Show
      when={choice()}
      fallback={<p class="sql-note muted">A chart needs a column of numbers.</p>}
    >
      {(chosen) => (
        <Show when={props.report.rows.length > 1} fallback={<OneRow report={props.report} />}>
          <Choices columns={columns()} choice={chosen()} />
          <Drawing report={props.report} columns={columns()} choice={chosen()} onOpen={props.onOpen} />
        </Show>
      )}
    </Show>
  );
}

function OneRow(props: { report: SqlReport }) {
  return (
    <div class="sql-one">
      <OneOnly
        text={
          props.report.rows.length === 0
            ? 'The query has no rows, so there is nothing to draw.'
            : 'The query has one row, so there is nothing to compare in a chart.'
        }
        actions={
          <button onClick={() => setParams({ show: null }, false)}>Show the table</button>
        }
      />
    </div>
  );
}

function Choices(props: { columns: readonly ChartColumn[]; choice: Choice }) {
  const isFigure = () => props.choice.form === 'scatter';
  return (
    <div class="sql-choices">
      <span class="segmented" role="group" aria-label="Form of the chart">
        <For each={FORMS}>
          {(form) => (
            <button
              aria-pressed={props.choice.form === form}
              onClick={() => setParams({ chart: form, x: null }, false)}
            >
              {TITLES[form]}
            </button>
          )}
        </For>
      </span>
      <Choose
        name={props.choice.form === 'bar' ? 'Bars' : 'X'}
        value={props.choice.x}
        columns={forAxis(props.columns, isFigure())}
        onChange={(x) => setParams({ x }, false)}
      />
      <Choose
        name={props.choice.form === 'bar' ? 'Length' : 'Y'}
        value={props.choice.y}
        columns={forAxis(props.columns, true)}
        onChange={(y) => setParams({ y }, false)}
      />
      <Show when={forColor(props.columns).length > 0 || props.choice.color}>
        <Choose
          name="Color"
          value={props.choice.color}
          columns={forColor(props.columns)}
          none="none"
          onChange={(color) => setParams({ color: color || 'none' }, false)}
        />
      </Show>
    </div>
  );
}

function Choose(props: {
  name: string;
  value: string;
  columns: readonly ChartColumn[];
  none?: string;
  onChange: (key: string) => void;
}) {
  return (
    <label class="sql-choose">
      {props.name}
      <select onChange={(event) => props.onChange(event.currentTarget.value)}>
        <Show when={props.none}>
          <option value="" selected={props.value === ''}>
            {props.none}
          </option>
        </Show>
        <For each={props.columns}>
          {(column) => (
            <option value={column.key} selected={column.key === props.value}>
              {column.title}
            </option>
          )}
        </For>
      </select>
    </label>
  );
}

interface DrawingProps {
  report: SqlReport;
  columns: readonly ChartColumn[];
  choice: Choice;
  onOpen: (row: number) => void;
}

function Drawing(props: DrawingProps) {
  const found = createMemo(() => pointsOf(props.report, props.columns, props.choice));
  const called = (key: string) => props.columns.find((column) => column.key === key);
  const x = () => called(props.choice.x);
  const y = () => called(props.choice.y);
  const [pointed, setPointed] = createSignal<number | null>(null);
  const entries = () => seriesLegend(found().series);
  const colors = createMemo(() => colorsOf(found().series));
  const remarks = () => {
    const { missingCount, labels } = found();
    const { length } = props.report.rows;
    const bars = labels?.length ?? 0;
    return [
      ...(props.report.row_count > length ? [`the first ${formatCount(length)} rows are shown`] : []),
      ...(missingCount > 0 ? [`${plural(missingCount, 'row')} without a value left out`] : []),
      ...(props.choice.form === 'bar' && bars > MOST_BARS
        ? [`the first ${MOST_BARS} of ${formatCount(bars)} bars`]
        : []),
    ];
  };
  const shared = () => ({
    label: `${y()?.title} by ${x()?.title}`,
    colorOf: (series: number) => colors()[series] ?? seriesColor(series),
    at: pointed(),
    onAt: setPointed,
    readout: (index: number) => <RowReadout report={props.report} row={rowAt(index)} />,
    onOpen: (index: number) => {
      const row = rowAt(index);
      if (row !== undefined) props.onOpen(row);
    },
  });
  const pieces = createMemo(() => piecesOf(found(), MOST_BARS));
  const lines = createMemo(() => linesOf(found()).filter(Boolean));
  const ordered = createMemo((): Point[] =>
    props.choice.form === 'bar'
      ? pieces()
      : props.choice.form === 'line'
        ? lines().flat()
        : found().points,
  );
  const rowAt = (index: number) => ordered()[index]?.row;
  return (
    <div class="sql-drawing">
      <Show when={entries().length > 0}>
        <Legend entries={entries()} />
      </Show>
      <Show
        when={props.choice.form === 'bar'}
        fallback={
          <Points
            {...shared()}
            found={found()}
            points={ordered()}
            lines={props.choice.form === 'line' ? lines() : null}
            x={x()}
            y={y()}
          />
        }
      >
        <Bars {...shared()} found={found()} pieces={pieces()} y={y()} />
      </Show>
      <Show when={remarks().length > 0}>
        <p class="sql-note muted">{sentenceOf(remarks())}</p>
      </Show>
    </div>
  );
}

const sentenceOf = (parts: readonly string[]) => {
  const text = parts.join('; ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

interface Shared {
  label: string;
  colorOf: (series: number) => string;
  at: number | null;
  onAt: (index: number | null) => void;
  onOpen: (index: number) => void;
  readout: (index: number) => ReturnType<typeof RowReadout>;
  found: ChartPoints;
  y: ChartColumn | undefined;
}

function Bars(props: Shared & { pieces: readonly Piece[] }) {
  const labels = () => props.found.labels?.slice(0, MOST_BARS) ?? [];
  const count = () => Math.max(1, labels().length);
  const range = createMemo(
    () => rangeOf([0, ...props.pieces.flatMap(({ from, to }) => [from, to])]) ?? { from: 0, to: 1 },
  );
  /** Corners of a piece: left, top, width. */
  const boxOf = (piece: Piece, frame: Frame) => {
    const ends = [frame.x(piece.from), frame.x(piece.to)];
    const left = Math.min(...ends);
    return {
      x: left,
      y: frame.y(count() - piece.x) + 3,
      width: Math.max(1, Math.abs((ends[1] ?? 0) - (ends[0] ?? 0))),
      height: Math.max(1, frame.height / count() - 6),
    };
  };
  const hit = (place: Place, frame: Frame) => {
    const bar = Math.floor(count() - frame.atY(place.y));
    const value = frame.atX(place.x);
    const own = props.pieces.findIndex(
      ({ x, from, to }) => x === bar && value >= Math.min(from, to) && value <= Math.max(from, to),
    );
    if (own >= 0) return own;
    const last = props.pieces.findLastIndex(({ x }) => x === bar);
    return last >= 0 ? last : null;
  };
  return (
    <Plot
      class="sql-plot"
      label={props.label}
      height={count() * BAR_HEIGHT + AROUND_BARS}
      margin={{ top: MENU_HEIGHT }}
      x={figureAcross('', props.y?.kind ?? 'count', range().from, range().to)}
      y={slotsDown(labels().map((text) => truncateMiddle(text, LONGEST_LABEL)))}
      rows={[props.pieces.length]}
      hit={hit}
      placeOf={(index, frame) => {
        const piece = props.pieces[index];
        if (!piece) return { x: 0, y: 0 };
        const box = boxOf(piece, frame);
        return { x: box.x + box.width, y: box.y + box.height / 2 };
      }}
      at={props.at}
      onAt={props.onAt}
      onOpen={props.onOpen}
      readout={props.readout}
      data={() => ({
        columns: ['name', ...(props.found.series.length > 0 ? ['color'] : []), props.y?.title ?? 'value'],
        rows: props.pieces.map(({ x, y, series }) => [
          labels()[x] ?? '',
          ...(props.found.series.length > 0 ? [props.found.series[series] ?? ''] : []),
          y,
        ]),
      })}
    >
      {(frame) => (
        <For each={props.pieces}>
          {(piece, index) => (
            <rect
              class="sql-bar"
              classList={{ 'is-at': index() === props.at }}
              {...boxOf(piece, frame())}
              fill={props.colorOf(piece.series)}
            />
          )}
        </For>
      )}
    </Plot>
  );
}

function Points(
  props: Shared & { points: readonly Point[]; lines: Point[][] | null; x: ChartColumn | undefined },
) {
  const xRange = createMemo(() => rangeOf(props.points.map(({ x }) => x)) ?? { from: 0, to: 1 });
  const yRange = createMemo(() => {
    const own = rangeOf(props.points.map(({ y }) => y)) ?? { from: 0, to: 1 };
    // Figures are compared with zero if they are not far from it.
    const isNear = own.from >= 0 && own.from < own.to / 2;
    const room = withRoom(own, 0.06);
    return isNear ? { from: 0, to: room.to } : room;
  });
  const across = (): AxisOf => {
    const { labels } = props.found;
    if (labels) return slotsAcross('', labels.map((text) => truncateMiddle(text, 18)));
    if (props.x?.isMoment) return timeAcross(xRange().from, xRange().to);
    const { from, to } = withRoom(xRange(), 0.02);
    return figureAcross('', props.x?.kind ?? 'count', from, to);
  };
  const placeOf = (point: Point, frame: Frame): Place => ({
    x: frame.x(point.x + (props.found.labels ? 0.5 : 0)),
    y: frame.y(point.y),
  });
  const isAt = (point: Point) => props.at !== null && props.points[props.at] === point;
  const hasDots = () => !props.lines || props.points.length <= MOST_DOTS;
  return (
    <Plot
      class="sql-plot"
      label={props.label}
      height={HEIGHT}
      x={across()}
      y={figureAxis('', props.y?.kind ?? 'count', yRange().from, yRange().to)}
      rows={props.lines?.map((line) => line.length) ?? [props.points.length]}
      hit={(place, frame) =>
        closest(
          props.points.map((point) => placeOf(point, frame)),
          place,
          REACH,
        )
      }
      placeOf={(index, frame) => {
        const point = props.points[index];
        return point ? placeOf(point, frame) : { x: 0, y: 0 };
      }}
      at={props.at}
      onAt={props.onAt}
      onOpen={props.onOpen}
      readout={props.readout}
      // Thousands of points are too many for elements.
      draw={
        props.lines
          ? undefined
          : (context, frame) => {
              context.globalAlpha = 0.75;
              for (const point of props.points) {
                const { x, y } = placeOf(point, frame);
                context.fillStyle = props.colorOf(point.series);
                context.beginPath();
                context.arc(x, y, 3.5, 0, 2 * Math.PI);
                context.fill();
              }
            }
      }
    >
      {(frame) => (
        <>
          <For each={props.lines ?? []}>
            {(line) => (
              <path
                class="sql-line"
                stroke={props.colorOf(line[0]?.series ?? 0)}
                d={linePath(line.map((point) => placeOf(point, frame())))}
              />
            )}
          </For>
          <Show when={props.lines && hasDots()}>
            <For each={props.points}>
              {(point) => (
                <circle
                  cx={placeOf(point, frame()).x}
                  cy={placeOf(point, frame()).y}
                  r={isAt(point) ? 5 : 2.5}
                  fill={props.colorOf(point.series)}
                />
              )}
            </For>
          </Show>
          <Show when={!hasDots() || !props.lines ? props.points[props.at ?? -1] : undefined}>
            {(point) => (
              <circle
                class="sql-dot-at"
                cx={placeOf(point(), frame()).x}
                cy={placeOf(point(), frame()).y}
                r="5"
                fill={props.colorOf(point().series)}
              />
            )}
          </Show>
        </>
      )}
    </Plot>
  );
}

/** Columns of a row that the readout shows. */
const MOST_FIGURES = 10;

function RowReadout(props: { report: SqlReport; row: number | undefined }) {
  const columns = createMemo(() => chartColumns(props.report).slice(0, MOST_FIGURES));
  const row = () => props.report.rows[props.row ?? -1];
  return (
    <Show when={row()}>
      {(values) => (
        <table>
          <tbody>
            <For each={columns()}>
              {({ title, kind, index }) => (
                <ReadoutRow title={title}>
                  <td class="number">{cellText(values()[index], kind)}</td>
                </ReadoutRow>
              )}
            </For>
          </tbody>
        </table>
      )}
    </Show>
  );
}

function cellText(value: unknown, kind: ChartColumn['kind']): string {
  if (value === null || value === undefined || value === '') return '–';
  return kind && typeof value === 'number' ? format(kind, value) : truncateMiddle(String(value), 44);
}
