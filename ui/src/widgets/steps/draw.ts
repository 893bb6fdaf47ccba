/** Draws the step chart on its canvas. */
import { columnScale, formatDuration } from '../../format/numbers';
import { PARTS } from '../../format/palette';
import { axisTicks, type Bucket } from './layout';

/** Space around the bars, in CSS pixels. */
export const MARGIN = { left: 52, right: 8, top: 16, bottom: 20 };

export interface ChartColours {
  text: string;
  faint: string;
  line: string;
  accent: string;
  soft: string;
  surface: string;
  problem: string;
}

export interface Chart {
  buckets: readonly Bucket[];
  topPs: number;
  width: number;
  height: number;
  colours: ChartColours;
  isSelected: ((step: number) => boolean) | null;
  hovered: number;
  /** The baseline's length of each bar's steps; empty without a baseline. */
  baselinePs: readonly (number | null)[];
  /** Bars being dragged over, both ends included. */
  dragged: [number, number] | null;
}

/** Left edge of a bar, and its slot's width. */
export function slotOf(
  chart: Pick<Chart, 'buckets' | 'width'>,
  index: number,
): [left: number, width: number] {
  const slot = (chart.width - MARGIN.left - MARGIN.right) / Math.max(1, chart.buckets.length);
  // Whole pixels, or highlights of neighbours leave seams.
  const left = Math.round(MARGIN.left + index * slot);
  return [left, Math.max(1, Math.round(MARGIN.left + (index + 1) * slot) - left)];
}

/** The bar below a point, -1 beside them. */
export function bucketAt(chart: Pick<Chart, 'buckets' | 'width'>, x: number): number {
  const slot = (chart.width - MARGIN.left - MARGIN.right) / Math.max(1, chart.buckets.length);
  const index = Math.floor((x - MARGIN.left) / slot);
  return index >= 0 && index < chart.buckets.length ? index : -1;
}

export function drawChart(context: CanvasRenderingContext2D, chart: Chart, font: string): void {
  context.clearRect(0, 0, chart.width, chart.height);
  context.font = `11px ${font}`;
  drawAxis(context, chart);
  chart.buckets.forEach((bucket, index) => drawBar(context, chart, bucket, index));
  drawBaseline(context, chart);
  drawNumbers(context, chart);
}

function drawAxis(context: CanvasRenderingContext2D, chart: Chart): void {
  const { colours } = chart;
  const ticks = axisTicks(chart.topPs, 4);
  const scale = columnScale('duration', ticks);
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (const tick of ticks) {
    const y = Math.round(yOf(chart, tick)) + 0.5;
    context.fillStyle = colours.line;
    context.fillRect(MARGIN.left, y - 0.5, chart.width - MARGIN.left - MARGIN.right, 1);
    context.fillStyle = colours.faint;
    const text = String(Number((tick / scale.size).toPrecision(6)));
    context.fillText(text, MARGIN.left - 6, y);
  }
  context.fillText(scale.unit, MARGIN.left - 6, 6);
}

function drawBar(
  context: CanvasRenderingContext2D,
  chart: Chart,
  bucket: Bucket,
  index: number,
): void {
  const { colours } = chart;
  const [left, slot] = slotOf(chart, index);
  const gap = slot >= 8 ? Math.min(6, slot * 0.2) : slot >= 3 ? 1 : 0;
  const width = Math.max(1, Math.round(Math.min(54, slot - gap)));
  const x = Math.round(left + (slot - width) / 2);
  const isDragged =
    chart.dragged !== null && chart.dragged[0] <= index && index <= chart.dragged[1];
  const isOn =
    isDragged ||
    chart.isSelected === null ||
    chart.isSelected(bucket.first) ||
    chart.isSelected(bucket.last);
  const bottom = yOf(chart, 0);
  if (index === chart.hovered || isDragged || (chart.isSelected !== null && isOn)) {
    context.fillStyle = isDragged || chart.isSelected !== null ? colours.soft : colours.line;
    context.globalAlpha =
      index === chart.hovered && chart.isSelected === null && !isDragged ? 0.5 : 1;
    context.fillRect(left, MARGIN.top - 6, slot, bottom - MARGIN.top + 6);
  }
  context.globalAlpha = isOn ? 1 : 0.32;
  let sum = 0;
  bucket.partsPs.forEach((part, position) => {
    if (part <= 0) return;
    const y0 = yOf(chart, Math.min(sum, chart.topPs));
    const y1 = yOf(chart, Math.min(sum + part, chart.topPs));
    sum += part;
    context.fillStyle = PARTS[position]?.colour ?? colours.faint;
    context.fillRect(x, y1, width, Math.max(0, y0 - y1));
  });
  context.globalAlpha = 1;
  if (bucket.durationPs > chart.topPs * 1.0001) drawCut(context, chart, bucket, x, width);
  else if (bucket.isOutlier)
    drawMark(context, x + width / 2, yOf(chart, bucket.durationPs) - 4, colours);
}

/** Where the same steps of the baseline end: a line across each bar. */
function drawBaseline(context: CanvasRenderingContext2D, chart: Chart): void {
  chart.baselinePs.forEach((length, index) => {
    if (length === null || length > chart.topPs * 1.05) return;
    const [left, slot] = slotOf(chart, index);
    const y = Math.round(yOf(chart, length));
    context.fillStyle = chart.colours.surface;
    context.fillRect(left, y - 2, slot, 4);
    context.fillStyle = chart.colours.text;
    context.fillRect(left, y - 1, slot, 2);
  });
}

/** A bar longer than the axis: two slanted strokes through it and its length above. */
function drawCut(
  context: CanvasRenderingContext2D,
  chart: Chart,
  bucket: Bucket,
  x: number,
  width: number,
): void {
  const y = MARGIN.top + 12;
  context.strokeStyle = chart.colours.surface;
  context.lineWidth = 2;
  for (const shift of [0, 5]) {
    context.beginPath();
    context.moveTo(x - 1, y + 3 + shift);
    context.lineTo(x + width + 1, y - 3 + shift);
    context.stroke();
  }
  const text = formatDuration(bucket.durationPs);
  context.fillStyle = bucket.isOutlier ? chart.colours.problem : chart.colours.text;
  context.textBaseline = 'bottom';
  const half = context.measureText(text).width / 2;
  context.textAlign = 'center';
  const centre = Math.max(MARGIN.left + half, Math.min(chart.width - half - 2, x + width / 2));
  context.fillText(text, centre, MARGIN.top - 2);
}

function drawMark(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  colours: ChartColours,
): void {
  context.fillStyle = colours.problem;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x - 4, y - 6);
  context.lineTo(x + 4, y - 6);
  context.fill();
}

function drawNumbers(context: CanvasRenderingContext2D, chart: Chart): void {
  const [, slot] = slotOf(chart, 0);
  const longest =
    context.measureText(String(chart.buckets[chart.buckets.length - 1]?.last ?? 0)).width + 10;
  const every = Math.max(1, niceEvery(Math.ceil(longest / slot)));
  context.fillStyle = chart.colours.faint;
  context.textAlign = 'center';
  context.textBaseline = 'top';
  chart.buckets.forEach((bucket, index) => {
    if (index % every !== 0) return;
    const [left, width] = slotOf(chart, index);
    context.fillText(String(bucket.first), left + width / 2, chart.height - MARGIN.bottom + 5);
  });
}

function niceEvery(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= least) ?? least;
}

function yOf(chart: Pick<Chart, 'height' | 'topPs'>, ps: number): number {
  const room = chart.height - MARGIN.top - MARGIN.bottom;
  return chart.height - MARGIN.bottom - (chart.topPs > 0 ? (ps / chart.topPs) * room : 0);
}
