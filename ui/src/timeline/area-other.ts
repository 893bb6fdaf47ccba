/**
 * The same area in another session: its borders step for step, its tracks by name. A border within a
 * step is at the same share of the other session's step, so that whole steps become whole steps. Pure.
 */
import { alignSteps } from '../compare/align';
import type { TimelineReport } from '../wire/generated/TimelineReport';
import type { TimelineStep } from '../wire/generated/TimelineStep';
import type { Area } from './scene';

/** A session's tracks and the steps on its ruler. */
export interface AreaSide {
  report: TimelineReport;
  steps: readonly TimelineStep[];
}

export interface OtherArea {
  area: Area;
  /** Tracks of the area that the other session does not have. */
  missing: number;
  /** How the borders were found. */
  isByStep: boolean;
}

/** The area that corresponds to one of `own` in `other`. */
export function areaInOther(area: Area, own: AreaSide, other: AreaSide): OtherArea {
  const pairs = pairsOf(own.steps, other.steps);
  const time = (timePs: number) => Math.round(timeIn(pairs, timePs));
  const tracks = area.tracks && tracksIn(area.tracks, own.report, other.report);
  return {
    area: { startPs: time(area.startPs), endPs: time(area.endPs), tracks },
    missing: (area.tracks?.length ?? 0) - (tracks?.length ?? 0),
    isByStep: pairs.length > 0,
  };
}

interface Pair {
  own: TimelineStep;
  other: TimelineStep;
}

/** Steps that both sessions have, in time order. */
function pairsOf(own: readonly TimelineStep[], other: readonly TimelineStep[]): Pair[] {
  return alignSteps(own, other).flatMap((position, index) => {
    const [one, another] = [own[index], other[position]];
    return one && another ? [{ own: one, other: another }] : [];
  });
}

function timeIn(pairs: readonly Pair[], timePs: number): number {
  const before = pairs.findLast(({ own }) => own.start_ps <= timePs);
  const after = pairs.find(({ own }) => own.start_ps > timePs);
  if (!before) return after ? after.other.start_ps - (after.own.start_ps - timePs) : timePs;
  const { own, other } = before;
  const passedPs = timePs - own.start_ps;
  // The end of a step is that of its counterpart, also if it is the start of the next one.
  if (passedPs <= own.duration_ps && own.duration_ps > 0) {
    return other.start_ps + (passedPs / own.duration_ps) * other.duration_ps;
  }
  return other.start_ps + other.duration_ps + passedPs - own.duration_ps;
}

/** The tracks with the same names, in groups with the same name or at the same place. */
function tracksIn(
  tracks: readonly number[],
  own: TimelineReport,
  other: TimelineReport,
): number[] {
  const [byName, byPlace] = [new Map<string, number>(), new Map<string, number>()];
  for (const place of placesOf(other)) {
    byName.set(place.name, place.track);
    byPlace.set(place.place, place.track);
  }
  const known = new Map(placesOf(own).map((place) => [place.track, place]));
  const found = tracks.flatMap((track) => {
    const place = known.get(track);
    const same = place && (byName.get(place.name) ?? byPlace.get(place.place));
    return same === undefined ? [] : [same];
  });
  return [...new Set(found)];
}

/** For each track: its group and name, and the number of its group instead of the name. */
function placesOf(report: TimelineReport) {
  const groups = new Map<string, number>();
  return report.groups.flatMap((group) => {
    const number = groups.get(group.kind) ?? 0;
    groups.set(group.kind, number + 1);
    const repeated = new Map<string, number>();
    return group.tracks.map(({ track, name }) => {
      const count = repeated.get(name) ?? 0;
      repeated.set(name, count + 1);
      const own = `${name}#${count}`;
      return {
        track,
        name: `${group.name}/${own}`,
        place: `${group.kind} ${number}/${own}`,
      };
    });
  });
}
