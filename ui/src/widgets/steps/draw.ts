/** Draws the bars of the step chart on their canvas. */
import { formatDuration } from '../../format/numbers';
import { slotAt } from '../chart/axis';
import type { Frame } from '../chart/frame';
import type { Bucket } from './layout';

export interface ChartColors {
  text: string;
  faint: string;
  line: string;
  soft: string;
  surface: string;
  problem: string;
}

export interface Chart {
  buckets: readonly Bucket[];
  topPs: number;
  /** Colors of the parts of a bar, from the bottom. */
  partColors: readonly string[];
  colors: ChartColors;
  font: string;
  isSelected: ((step: number) => boolean) | null;
  hovered: number | null;
  /** The baseline's mean time of the steps in each bar; empty without a baseline. */
  baselinePs: readonly (number | null)[];
}

/** How far the highlight of a slot extends above the plot, in pixels. */
const ABOVE = 6;

export function drawBars(context: CanvasRenderingContext2D, frame: Frame, chart: Chart): void {
  context.font = `11px ${chart.font}`;
  chart.buckets.forEach((bucket, index) => drawBar(context, frame, chart, bucket, index));
  drawBaseline(context, frame, chart);
}

function drawBar(
  context: CanvasRenderingContext2D,
  frame: Frame,
  chart: Chart,
  bucket: Bucket,
  index: number,
): void {
  const { colors } = chart;
  const [left, slot] = slotAt(chart.buckets.length, index, frame.width);
  const gap = slot >= 8 ? Math.min(6, slot * 0.2) : slot >= 3 ? 1 : 0;
  const width = Math.max(1, Math.round(Math.min(54, slot - gap)));
  const x = Math.round(left + (slot - width) / 2);
  const hasSelection = chart.isSelected !== null;
  const isOn = !hasSelection || isChosen(chart, bucket);
  if (index === chart.hovered || (hasSelection && isOn)) {
    context.fillStyle = hasSelection ? colors.soft : colors.line;
    context.globalAlpha = hasSelection ? 1 : 0.5;
    context.fillRect(left, -ABOVE, slot, frame.height + ABOVE);
  }
  context.globalAlpha = isOn ? 1 : 0.32;
  let sum = 0;
  bucket.partsPs.forEach((part, position) => {
    if (part <= 0) return;
    const bottom = frame.y(Math.min(sum, chart.topPs));
    const top = frame.y(Math.min(sum + part, chart.topPs));
    sum += part;
    context.fillStyle = chart.partColors[position] ?? colors.faint;
    context.fillRect(x, top, width, Math.max(0, bottom - top));
  });
  context.globalAlpha = 1;
  if (bucket.durationPs > chart.topPs * 1.0001) drawCut(context, frame, chart, bucket, x, width);
  else if (bucket.isOutlier) {
    drawMark(context, x + width / 2, frame.y(bucket.durationPs) - 4, colors);
  }
}

const isChosen = (chart: Chart, bucket: Bucket) =>
  (chart.isSelected?.(bucket.first) || chart.isSelected?.(bucket.last)) ?? false;

/** The time of the same steps in the baseline, as a line across each bar. */
function drawBaseline(context: CanvasRenderingContext2D, frame: Frame, chart: Chart): void {
  chart.baselinePs.forEach((length, index) => {
    if (length === null) return;
    const [left, slot] = slotAt(chart.buckets.length, index, frame.width);
    if (length > chart.topPs * 1.05) return drawBeyond(context, frame, chart, index, length);
    const y = Math.round(frame.y(length));
    context.fillStyle = chart.colors.surface;
    context.fillRect(left, y - 2, slot, 4);
    context.fillStyle = chart.colors.text;
    context.fillRect(left, y - 1, slot, 2);
  });
}

/** A time of the baseline that exceeds the axis: an arrow, and the time if the bar has none. */
function drawBeyond(
  context: CanvasRenderingContext2D,
  frame: Frame,
  chart: Chart,
  index: number,
  length: number,
): void {
  const [left, slot] = slotAt(chart.buckets.length, index, frame.width);
  const x = left + slot / 2;
  context.fillStyle = chart.colors.text;
  context.beginPath();
  context.moveTo(x, 1);
  context.lineTo(x - 4, 8);
  context.lineTo(x + 4, 8);
  context.fill();
  const own = chart.buckets[index]?.durationPs ?? 0;
  const text = `baseline ${formatDuration(Math.round(length))}`;
  const half = context.measureText(text).width / 2;
  if (own > chart.topPs || slot < half / 2) return;
  context.textBaseline = 'bottom';
  context.textAlign = 'center';
  context.fillText(text, Math.max(half, Math.min(frame.width - half - 2, x)), -2);
}

/** A bar that exceeds the axis: two slanted strokes through it and its time above. */
function drawCut(
  context: CanvasRenderingContext2D,
  frame: Frame,
  chart: Chart,
  bucket: Bucket,
  x: number,
  width: number,
): void {
  context.strokeStyle = chart.colors.surface;
  context.lineWidth = 2;
  for (const y of [12, 17]) {
    context.beginPath();
    context.moveTo(x - 1, y + 3);
    context.lineTo(x + width + 1, y - 3);
    context.stroke();
  }
  const text = formatDuration(bucket.durationPs);
  context.fillStyle = bucket.isOutlier ? chart.colors.problem : chart.colors.text;
  context.textBaseline = 'bottom';
  context.textAlign = 'center';
  const half = context.measureText(text).width / 2;
  const center = Math.max(half, Math.min(frame.width - half - 2, x + width / 2));
  context.fillText(text, center, -2);
}

function drawMark(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  colors: ChartColors,
): void {
  context.fillStyle = colors.problem;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x - 4, y - 6);
  context.lineTo(x + 4, y - 6);
  context.fill();
}
