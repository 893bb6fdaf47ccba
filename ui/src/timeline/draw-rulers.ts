/** The time ruler, the step ruler and the critical path above the rows. */
import { formatDuration } from '../format/numbers';
import { exactText } from './clock';
import { TICK_PX, tag, tagSpan } from './draw-overlays';
import { drawPathRuler } from './draw-path';
import { rulerTicks } from './ruler-ticks';
import { MINIMAP_HEIGHT, RULER_HEIGHT, STEP_RULER_HEIGHT, type Scene } from './scene';

/** All rulers, with the ends of area and marks and the time at the pointer. */
export function drawRulers(context: CanvasRenderingContext2D, scene: Scene): void {
  const { geometry, palette } = scene;
  context.fillStyle = palette.theme.surface;
  context.fillRect(0, MINIMAP_HEIGHT, geometry.width, geometry.headHeight - MINIMAP_HEIGHT);
  const tags = tagsOf(scene);
  drawTimeRuler(context, scene, tags);
  if (geometry.hasStepRuler) drawStepRuler(context, scene);
  if (geometry.hasPathRuler) drawPathRuler(context, scene);
  context.fillStyle = palette.theme.strongLine;
  context.fillRect(0, geometry.headHeight - 1, geometry.width, 1);
  drawSpans(context, scene, tags);
}

function drawTimeRuler(context: CanvasRenderingContext2D, scene: Scene, tags: readonly Tag[]): void {
  const { viewport, geometry, palette, font } = scene;
  const { major, minorPs, base } = rulerTicks(scene.clock, viewport, geometry.width, TICK_PX);
  const bottom = MINIMAP_HEIGHT + RULER_HEIGHT;
  context.font = font;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  const baseWidth = base ? context.measureText(base).width + 10 : 0;
  context.fillStyle = palette.theme.strongLine;
  for (const timePs of minorPs) {
    context.fillRect(Math.round(viewport.pxOfTime(timePs)), bottom - 4, 1, 4);
  }
  for (const { timePs } of major) {
    context.fillRect(Math.round(viewport.pxOfTime(timePs)), bottom - 8, 1, 8);
  }
  const covered = tags.map((each) => tagSpan(context, scene, each.text, each.x));
  context.fillStyle = palette.theme.mutedText;
  for (const { timePs, text } of major) {
    const x = viewport.pxOfTime(timePs) + 4;
    const end = covered.length > 0 ? x + context.measureText(text).width : x;
    // The rest of a text beside a label would be read as another time.
    if (covered.some(([left, right]) => x < right && end > left)) continue;
    if (x >= baseWidth) context.fillText(text, x, bottom - 12);
  }
  if (!base) return;
  context.fillStyle = palette.theme.text;
  context.fillText(base, 4, bottom - 12);
}

function drawStepRuler(context: CanvasRenderingContext2D, scene: Scene): void {
  const { viewport, geometry, palette, steps, font } = scene;
  const top = MINIMAP_HEIGHT + RULER_HEIGHT;
  const height = STEP_RULER_HEIGHT - 2;
  context.font = font;
  let lastEnd = -1;
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i]!;
    const x0 = viewport.pxOfTime(step.start_ps);
    const x1 = viewport.pxOfTime(step.start_ps + step.duration_ps);
    if (x1 < 0 || x1 < lastEnd + 1) continue;
    if (x0 > geometry.width) break;
    lastEnd = x1;
    const left = Math.max(0, x0);
    const width = Math.min(geometry.width, x1) - left;
    context.fillStyle = i % 2 === 0 ? palette.theme.line : palette.theme.strongLine;
    context.fillRect(left, top, Math.max(1, width - 1), height);
    if (scene.isStepSelected?.(step.step)) {
      context.fillStyle = palette.theme.accent;
      context.fillRect(left, top + height - 2, Math.max(1, width - 1), 2);
    }
    const name = `step ${step.step}`;
    const long = `${name} · ${formatDuration(step.duration_ps)}`;
    const text = width > 130 ? long : width > 56 ? name : width > 22 ? String(step.step) : '';
    if (!text) continue;
    const isDimmed = scene.onlyStep !== null && scene.onlyStep.step !== step.step;
    context.fillStyle = isDimmed ? palette.theme.mutedText : palette.theme.text;
    context.fillText(text, left + 5, top + height / 2 + 0.5);
  }
}

/** A label on the time ruler. */
interface Tag {
  text: string;
  x: number;
}

/** The lengths of area and marks, and the time at the pointer. */
function tagsOf(scene: Scene): Tag[] {
  const { viewport, geometry, pointer, clock } = scene;
  const tags = spansOf(scene).map(({ startPs, endPs, x0, x1 }) => ({
    text: endPs > startPs ? formatDuration(endPs - startPs) : exactText(clock, startPs),
    x: (Math.max(0, x0) + Math.min(geometry.width, x1)) / 2,
  }));
  if (pointer && pointer.y >= MINIMAP_HEIGHT && pointer.y < geometry.headHeight) {
    tags.push({ text: exactText(clock, viewport.timeOfPx(pointer.x)), x: pointer.x });
  }
  return tags;
}

/** The marks and the area in sight. */
function spansOf({ area, marks, viewport, geometry }: Scene) {
  return (area ? [...marks, area] : marks).flatMap(({ startPs, endPs }) => {
    const [x0, x1] = [viewport.pxOfTime(startPs), viewport.pxOfTime(endPs)];
    return x1 < 0 || x0 > geometry.width ? [] : [{ startPs, endPs, x0, x1 }];
  });
}

/** On the time ruler: the selected slice, area and marks, and their labels. */
function drawSpans(context: CanvasRenderingContext2D, scene: Scene, tags: readonly Tag[]): void {
  const { viewport, palette, selection } = scene;
  const y = MINIMAP_HEIGHT + RULER_HEIGHT / 2;
  if (selection) {
    const x0 = viewport.pxOfTime(selection.startPs);
    const x1 = viewport.pxOfTime(selection.startPs + selection.durationPs);
    context.fillStyle = palette.theme.text;
    context.fillRect(x0, MINIMAP_HEIGHT + RULER_HEIGHT - 3, Math.max(2, x1 - x0), 3);
  }
  context.fillStyle = palette.theme.accent;
  for (const { x0, x1 } of spansOf(scene)) {
    context.fillRect(x0, y + 9, Math.max(1, x1 - x0), 2);
  }
  for (const { text, x } of tags) tag(context, scene, text, x, y);
}
