/**
 * Named arrangements of the timeline's rows and colors, as kept in the browser. A link names tracks by
 * numbers, which differ between captures; what is kept names them, so that an arrangement fits the next
 * capture of the same job as well. Pure.
 */
import type { TimelineReport } from '../wire/generated/TimelineReport';
import { parseTracks } from './address';
import { LAID_TRACK } from './laid';
import { tracksOf } from './layout';

/** Parameters of the address that list tracks. */
const TRACK_PARAMS = ['pin', 'hide', 'order', 'fold'] as const;
/** The others that an arrangement consists of: groups, heights, filter, scales, colors. */
const TEXT_PARAMS = ['groups', 'closed', 'rows', 'tracks', 'counters', 'color'] as const;

export interface Arrangement {
  name: string;
  /** Tracks by the name of their group and their own, for each parameter. */
  tracks: Readonly<Partial<Record<string, readonly string[]>>>;
  /** Parameters as they are in the address. */
  texts: Readonly<Partial<Record<string, string>>>;
}

/** Parameters of the address; null where the usual applies. */
export type ArrangementParams = Record<string, string | null>;

/** What sessions have in common that share arrangements: their devices and hosts. */
export function shapeOf(report: TimelineReport): string {
  return report.groups.map((group) => group.name).join('\n');
}

/** The address's parameters of an arrangement, as they are now. */
export function paramsNow(read: (name: string) => string | undefined): ArrangementParams {
  const names = [...TRACK_PARAMS, ...TEXT_PARAMS];
  return Object.fromEntries(names.map((name) => [name, read(name) || null]));
}

/** The arrangement that the parameters of an address describe. */
export function arrangementOf(
  report: TimelineReport,
  name: string,
  params: ArrangementParams,
): Arrangement {
  const nameOf = new Map([...numbersOf(report)].map(([key, track]) => [track, key]));
  const tracks: Record<string, string[]> = {};
  const texts: Record<string, string> = {};
  for (const param of TRACK_PARAMS) {
    const named = parseTracks(params[param] ?? '').flatMap((track) => nameOf.get(track) ?? []);
    if (named.length > 0) tracks[param] = named;
  }
  for (const param of TEXT_PARAMS) {
    const text = params[param];
    if (text) texts[param] = text;
  }
  return { name, tracks, texts };
}

/** The parameters that show an arrangement; tracks that the session lacks are left out. */
export function paramsOf(report: TimelineReport, { tracks, texts }: Arrangement): ArrangementParams {
  const numbers = numbersOf(report);
  const params: ArrangementParams = {};
  for (const param of TRACK_PARAMS) {
    const found = (tracks[param] ?? []).flatMap((name) => numbers.get(name) ?? []);
    params[param] = found.length > 0 ? found.join(',') : null;
  }
  for (const param of TEXT_PARAMS) params[param] = texts[param] ?? null;
  return params;
}

/** Tracks by names; those with one name in a group are numbered. */
function numbersOf(report: TimelineReport): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const group of report.groups) {
    for (const { track, name } of tracksOf(group)) {
      if (track === LAID_TRACK) continue;
      const key = `${group.name}\n${name}`;
      let unique = key;
      for (let n = 2; numbers.has(unique); n++) unique = `${key}\n${n}`;
      numbers.set(unique, track);
    }
  }
  return numbers;
}

/** The list with an arrangement, which takes the place of one of its name. */
export function withSaved(list: readonly Arrangement[], saved: Arrangement): Arrangement[] {
  const others = list.filter(({ name }) => name !== saved.name);
  return [...others, saved].sort((one, other) => one.name.localeCompare(other.name, 'en'));
}

/** The list with another name for one; a name that is taken by another one changes nothing. */
export function withRenamed(list: readonly Arrangement[], from: string, to: string): readonly Arrangement[] {
  const renamed = list.find(({ name }) => name === from);
  if (!renamed || to === '' || list.some(({ name }) => name === to)) return list;
  return withSaved(list.filter((one) => one !== renamed), { ...renamed, name: to });
}

/** All arrangements by the shapes of their sessions, from what is kept; what is not one is left out. */
export function parseKept(text: string | null): Record<string, Arrangement[]> {
  try {
    const kept: unknown = JSON.parse(text ?? '{}');
    if (!isRecord(kept)) return {};
    const lists = Object.entries(kept).map(([shape, list]) => [
      shape,
      Array.isArray(list) ? list.filter(isArrangement) : [],
    ]);
    return Object.fromEntries(lists) as Record<string, Arrangement[]>;
  } catch {
    return {};
  }
}

function isArrangement(value: unknown): value is Arrangement {
  if (!isRecord(value) || typeof value['name'] !== 'string') return false;
  const { tracks, texts } = value;
  const areTexts = (list: unknown) => Array.isArray(list) && list.every((one) => typeof one === 'string');
  return (
    isRecord(tracks) &&
    isRecord(texts) &&
    Object.values(tracks).every(areTexts) &&
    areTexts(Object.values(texts))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
