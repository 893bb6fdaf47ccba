/** From rows to a chart: which columns suit, and the points, lines and bars. Pure. */
import type { Kind } from '../../format/numbers';
import type { SqlReport } from '../../wire/generated/SqlReport';
import { isMoment, keysOf, kindOf } from '../../sql/result';
import { MOST_COLORS } from '../../widgets/chart/series';

export const FORMS = ['bar', 'line', 'scatter'] as const;
export type Form = (typeof FORMS)[number];

/** A column that a chart can show. */
export interface ChartColumn {
  index: number;
  key: string;
  title: string;
  /** Absent for texts and flags. */
  kind?: Kind;
  isMoment: boolean;
  /** How many different values it has, up to `COUNTED`. */
  distinct: number;
}

/** Columns by their keys; `color` may be empty. */
export interface Choice {
  form: Form;
  x: string;
  y: string;
  color: string;
}

const COUNTED = 1000;
/** Columns of numbers that say which row it is rather than how much. */
const POSITION = /^(step|index|number|day|run|depth|layer|start|position|percentile|bucket)$|_index$/;

export function chartColumns(report: SqlReport): ChartColumn[] {
  const keys = keysOf(report.columns);
  return report.columns.map((column, index) => {
    const kind = kindOf(column);
    return {
      index,
      key: keys[index] ?? column.key,
      title: column.key,
      ...(kind ? { kind } : {}),
      isMoment: isMoment(column),
      distinct: distinctOf(report, index),
    };
  });
}

function distinctOf(report: SqlReport, index: number): number {
  const found = new Set<unknown>();
  for (const row of report.rows) {
    found.add(row[index] ?? null);
    if (found.size >= COUNTED) break;
  }
  return found.size;
}

const isPosition = (column: ChartColumn) =>
  column.kind !== undefined && (column.isMoment || POSITION.test(column.key));
/** What is measured: the first figure that is not a position, times and rates before counts. */
function measureOf(columns: readonly ChartColumn[]): ChartColumn | undefined {
  const figures = columns.filter((column) => column.kind !== undefined && !isPosition(column));
  return figures.find(({ kind }) => kind !== 'count') ?? figures[0];
}

/** The chart that suits the rows, as far as it is not chosen; null without a column of figures. */
export function choiceOf(
  columns: readonly ChartColumn[],
  chosen: { form?: string | undefined; x?: string | undefined; y?: string | undefined; color?: string | undefined },
): Choice | null {
  const called = (key: string | undefined) => columns.find((column) => column.key === key);
  const isFigure = (column: ChartColumn | undefined) => column?.kind !== undefined;
  const first = measureOf(columns) ?? columns.find(isFigure);
  if (!first) return null;
  const y = isFigure(called(chosen.y)) ? (called(chosen.y) as ChartColumn) : first;
  const form = FORMS.find((each) => each === chosen.form) ?? formOf(columns, y);
  const x = called(chosen.x) ?? xOf(columns, form, y);
  // Names have no place among figures.
  const possible = form === 'scatter' && !isFigure(x) ? 'bar' : form;
  const color = chosen.color ?? colorOf(columns, possible, x, y);
  return { form: possible, x: x.key, y: y.key, color };
}

/** Rows along a position are a line, named rows are bars, two figures a scatter. */
function formOf(columns: readonly ChartColumn[], y: ChartColumn): Form {
  if (columns.some((column) => column !== y && isPosition(column))) return 'line';
  if (columns.some((column) => column.kind === undefined)) return 'bar';
  return columns.filter((column) => column.kind !== undefined).length > 1 ? 'scatter' : 'bar';
}

function xOf(columns: readonly ChartColumn[], form: Form, y: ChartColumn): ChartColumn {
  const others = columns.filter((column) => column !== y);
  const texts = others.filter((column) => column.kind === undefined);
  const figures = others.filter((column) => column.kind !== undefined);
  // The column of text with the most different values names the rows.
  const named = texts.reduce<ChartColumn | undefined>(
    (most, column) => (most && most.distinct >= column.distinct ? most : column),
    undefined,
  );
  if (form === 'bar') return named ?? figures.find(isPosition) ?? others[0] ?? y;
  if (form === 'line') return figures.find(isPosition) ?? named ?? others[0] ?? y;
  return figures.find((column) => !isPosition(column)) ?? figures[0] ?? y;
}

/** A text with few values, the session first; each session has its own line, however many there are. */
function colorOf(columns: readonly ChartColumn[], form: Form, x: ChartColumn, y: ChartColumn): string {
  const texts = columns.filter(
    (column) => column !== x && column !== y && column.kind === undefined && column.distinct > 1,
  );
  const isFew = ({ distinct }: ChartColumn) => distinct <= MOST_COLORS;
  const sessions = texts.find((column) => column.key === 'session' && (form === 'line' || isFew(column)));
  return (sessions ?? texts.find(isFew))?.key ?? '';
}

/** A row in a chart. */
export interface Point {
  row: number;
  /** A figure, or the position of the label among `labels`. */
  x: number;
  y: number;
  series: number;
}

export interface ChartPoints {
  points: Point[];
  /** The names of colors, in the order of their rows. Empty without a column for colors. */
  series: string[];
  /** The names along a column of text, in the order of their rows; null for figures. */
  labels: string[] | null;
  /** Rows without a value in a column of the chart. */
  missingCount: number;
}

export function pointsOf(report: SqlReport, columns: readonly ChartColumn[], choice: Choice): ChartPoints {
  const called = (key: string) => columns.find((column) => column.key === key);
  const [x, y, color] = [called(choice.x), called(choice.y), called(choice.color)];
  const isNamed = x?.kind === undefined || choice.form === 'bar';
  const labels = new Map<string, number>();
  const series = new Map<string, number>();
  const points: Point[] = [];
  report.rows.forEach((row, index) => {
    const [own, across] = [y ? row[y.index] : null, x ? row[x.index] : null];
    if (typeof own !== 'number' || (!isNamed && typeof across !== 'number')) return;
    points.push({
      row: index,
      x: isNamed ? placeIn(labels, textOf(across)) : Number(across),
      y: own,
      series: color ? placeIn(series, textOf(row[color.index])) : 0,
    });
  });
  return {
    points,
    series: [...series.keys()],
    labels: isNamed ? [...labels.keys()] : null,
    missingCount: report.rows.length - points.length,
  };
}

const textOf = (value: unknown) => (value === null || value === undefined ? '–' : String(value));

function placeIn(names: Map<string, number>, name: string): number {
  const known = names.get(name);
  if (known !== undefined) return known;
  names.set(name, names.size);
  return names.size - 1;
}

/** The points of a line chart, series by series, from left to right. */
export function linesOf({ points }: ChartPoints): Point[][] {
  const lines: Point[][] = [];
  for (const point of points) (lines[point.series] ??= []).push(point);
  return lines.map((line) => line.sort((one, other) => one.x - other.x || one.row - other.row));
}

/** A piece of a bar: one row, from where the pieces of earlier rows with the same name end. */
export interface Piece extends Point {
  from: number;
  to: number;
}

/** Rows of one name are pieces of one bar: positive ones to the right, negative ones to the left. */
export function piecesOf({ points }: ChartPoints, mostBars: number): Piece[] {
  const ends = new Map<number, { up: number; down: number }>();
  return points
    .filter((point) => point.x < mostBars)
    .map((point) => {
      const end = ends.get(point.x) ?? { up: 0, down: 0 };
      ends.set(point.x, end);
      const side = point.y < 0 ? 'down' : 'up';
      const from = end[side];
      end[side] += point.y;
      return { ...point, from, to: end[side] };
    })
    .sort((one, other) => one.x - other.x);
}

/** Columns that may be chosen for an axis, and for colors. */
export const forAxis = (columns: readonly ChartColumn[], isFigure: boolean) =>
  columns.filter((column) => !isFigure || column.kind !== undefined);
export const forColor = (columns: readonly ChartColumn[]) =>
  columns.filter(
    ({ kind, distinct }) =>
      distinct > 1 &&
      (kind === undefined ? distinct < COUNTED : kind === 'count' && distinct <= MOST_COLORS),
  );
