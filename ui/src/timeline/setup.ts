/** What a timeline reads from its report and from the theme at the start. */
import { themeColor } from '../shell/theme';
import type { TimelineReport } from '../wire/generated/TimelineReport';
import type { TimelineStep } from '../wire/generated/TimelineStep';
import { epochOf } from './clock';
import type { LabelTable } from './labels';
import { placeRows, type LayoutChoices } from './layout';
import { mergedTrackOf } from './merged-track';
import { minimapScale } from './minimap-scale';
import { Palette } from './palette';
import { pathOfWords } from './path-ruler';
import { DrawPlan } from './plan';
import { headHeightOf, type Scene } from './scene';
import type { TileCache } from './tile-cache';
import { fitAll, fitRange, Viewport, type Limits, type TimeWindow } from './viewport';

const FONT_PX = 11;

/** A scene in which nothing is selected, before its size is known. */
export function initialScene(
  report: TimelineReport,
  limits: Limits,
  cache: TileCache,
  rootLevel: number,
  labels: LabelTable,
  choices: LayoutChoices,
): Scene {
  const rulers = { hasStepRuler: report.steps.length > 0, hasPathRuler: false };
  const merged = report.groups.flatMap((group) => mergedTrackOf(group) ?? []);
  const members = new Map(merged.map((track) => [track.track, track.members]));
  return {
    report,
    viewport: new Viewport(limits),
    geometry: {
      width: 1,
      height: 1,
      ratio: 1,
      headHeight: headHeightOf(rulers),
      ...rulers,
      pinnedHeight: 0,
      scrollY: 0,
    },
    layout: placeRows(report, choices),
    plan: new DrawPlan(cache, rootLevel, members),
    labels,
    palette: readPalette(),
    font: `${FONT_PX}px sans-serif`,
    steps: [],
    clock: { kind: 'session', steps: [], epochNs: epochOf(report.start_epoch_ns) },
    isStepSelected: null,
    onlyStep: null,
    ghost: null,
    minimapTracks: minimapTracksOf(report),
    minimapScale: minimapScale(
      { startPs: report.start_ps, endPs: report.end_ps },
      homeWindow(report.steps, limits),
    ),
    path: pathOfWords(''),
    idle: new Map(),
    selection: null,
    participants: [],
    chain: null,
    hover: null,
    pointer: null,
    area: null,
    marks: [],
    measure: null,
    isSearching: false,
    only: null,
    matchTimes: [],
  };
}

/** The font of the theme, as a canvas expects it. */
export function themeFont(): string {
  return `${FONT_PX}px ${themeColor('sans') || 'sans-serif'}`;
}

/** How many devices the minimap shows. */
const MINIMAP_DEVICES = 8;

/** The colors of the current theme. */
export function readPalette(): Palette {
  return new Palette({
    background: themeColor('surface') || '#ffffff',
    surface: themeColor('surface-sunken') || '#eff1f4',
    line: themeColor('line') || '#e1e5ea',
    strongLine: themeColor('line-strong') || '#c8cfd8',
    text: themeColor('text') || '#1a2029',
    mutedText: themeColor('text-muted') || '#586371',
    accent: themeColor('accent') || '#2563c9',
    problem: themeColor('problem') || '#c4302b',
  });
}

/**
 * The tracks whose load the minimap shows, one per device: its ops if they have a single track, else
 * its programs, else its first track of ops, else the track with the most slices. Without devices,
 * the first host thread.
 */
export function minimapTracksOf(report: TimelineReport): number[] {
  const devices = report.groups.filter((group) => group.kind === 'device');
  const chosen = devices.slice(0, MINIMAP_DEVICES).flatMap((group) => {
    const slices = group.tracks.filter((track) => track.role !== 'counter');
    const ops = slices.filter((track) => track.role === 'ops');
    const programs = slices.find((track) => track.role === 'programs');
    const fullest = [...slices].sort((one, other) => other.slice_count - one.slice_count)[0];
    const track = ops.length === 1 ? ops[0] : (programs ?? ops[0] ?? fullest);
    return track ? [track.track] : [];
  });
  if (chosen.length > 0) return chosen;
  const all = report.groups.flatMap((group) => group.tracks);
  return all
    .filter((track) => track.role === 'host_thread')
    .slice(0, 1)
    .map((one) => one.track);
}

/** If the steps cover less of the session than this, the first window shows just the steps. */
const HOME_SHARE = 0.75;

/**
 * The first window: the steps of all hosts and devices if they cover little of the session, else
 * everything.
 */
export function homeWindow(steps: readonly TimelineStep[], limits: Limits): TimeWindow {
  if (steps.length === 0) return fitAll(limits);
  let [startPs, endPs] = [Infinity, -Infinity];
  for (const step of steps) {
    startPs = Math.min(startPs, step.start_ps);
    endPs = Math.max(endPs, step.start_ps + step.duration_ps);
  }
  const share = (endPs - startPs) / (limits.endPs - limits.startPs);
  return share < HOME_SHARE ? fitRange(startPs, endPs, limits, 0.02) : fitAll(limits);
}
