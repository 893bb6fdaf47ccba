/** What a timeline takes from its report and from the theme when it begins. */
import { themeColor } from '../shell/theme';
import type { TimelineReport } from '../wire/generated/TimelineReport';
import type { TimelineStep } from '../wire/generated/TimelineStep';
import { Palette } from './palette';
import { fitAll, fitRange, type Limits, type TimeWindow } from './viewport';

/** Devices whose load the minimap shows. */
const MINIMAP_DEVICES = 8;

/** The colors of the present theme. */
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
 * The tracks whose load the minimap shows, one per device: its ops where they have one track, else
 * its programs, else the fullest; without devices the first thread.
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

/** Steps that fill less of the session than this are what the first window shows. */
const HOME_SHARE = 0.75;

/**
 * The window to begin with: the steps, wherever they were, if much lies around them, else everything.
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
