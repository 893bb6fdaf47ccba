/** The timeline's requests, with relative URLs. */
import { escapeRegex } from '../format/text';
import { timeRange } from '../format/time-range';
import { getJson, isAbort, urlOf, WireError } from '../wire/client';
import { send } from '../wire/transport';
import type { ChainReport } from '../wire/generated/ChainReport';
import type { IdleReport } from '../wire/generated/IdleReport';
import type { LabelFacts } from '../wire/generated/LabelFacts';
import type { LabelReport } from '../wire/generated/LabelReport';
import type { OccurrencesReport } from '../wire/generated/OccurrencesReport';
import type { ParticipantsReport } from '../wire/generated/ParticipantsReport';
import type { SearchSlice } from '../wire/generated/SearchSlice';
import type { SearchReport } from '../wire/generated/SearchReport';
import type { SliceDetails } from '../wire/generated/SliceDetails';
import type { SliceRefReport } from '../wire/generated/SliceRefReport';
import { OCCURRENCE_LIMIT, type Compared, type Occurrences } from './occurrences';
import type { Area } from './scene';
import { TILE_PX } from './tile-grid';
import type { TimeWindow } from './viewport';

/** What the rows of an area's table are grouped by. */
export type AreaKey = 'name' | 'class' | 'scope' | 'track' | 'device' | 'program' | 'step';

/** Whether stacks are merged from the outside in or from the inside out. */
export type FlameOrder = 'callees' | 'callers';

/** The maximum number of gaps among which one with a cause is looked for. */
const GAP_LIMIT = 50;

/** The maximum number of frames of a flame graph. */
const FLAME_LIMIT = 4000;

/** The maximum numbers of rows in an area's table and of matches of a search. */
export const AREA_LIMIT = 2000;
export const SEARCH_LIMIT = 500;

/** Requests about one session. */
export class TimelineApi {
  constructor(private readonly session: string) {}

  async tile(
    startPs: number,
    endPs: number,
    tracks: readonly number[],
    signal: AbortSignal,
  ): Promise<ArrayBuffer> {
    const query = { start_ps: startPs, end_ps: endPs, width_px: TILE_PX };
    // Commas stay as they are: the list of tracks may be long.
    const url = `${this.url('tile', query)}&tracks=${tracks.join(',')}`;
    const response = await send(url, { signal });
    if (!response.ok) throw await errorOf(response);
    return response.arrayBuffer();
  }

  labels(ids: readonly number[]): Promise<LabelReport[]> {
    return getJson(`${this.url('labels')}?ids=${ids.join(',')}`, undefined, false);
  }

  labelFacts(ids: readonly number[]): Promise<LabelFacts[]> {
    return getJson(`${this.url('label_facts')}?ids=${ids.join(',')}`, undefined, false);
  }

  slice(ref: SliceRefReport, signal?: AbortSignal): Promise<SliceDetails> {
    return getJson(this.url('slice', { ...ref }), signal);
  }

  search(query: string, fromPs: number, signal?: AbortSignal): Promise<SearchReport> {
    const options = { query, from_ps: Math.round(fromPs), limit: SEARCH_LIMIT };
    return getJson(this.url('search', options), signal);
  }

  /** All slices with exactly this name: figures of all, and those around one of them. */
  async occurrences(name: string, asked: Compared): Promise<Occurrences> {
    const found: OccurrencesReport = await getJson(
      this.url('occurrences', {
        name,
        start_ps: Math.round(asked.startPs),
        duration_ps: Math.round(asked.durationPs),
        limit: OCCURRENCE_LIMIT,
      }),
    );
    return { ...found, name, asked };
  }

  /** What caused the longest gap in a range on a device, or on any device of a host. */
  async causeOfGap(range: TimeWindow, place: string): Promise<SliceRefReport | null> {
    const [host, device] = splitPlace(place);
    const report: IdleReport = await getJson(
      urlOf(`api/sessions/${this.session}/analyses/idle`, {
        time: timeRange(range.startPs, range.endPs),
        host,
        device,
        limit: GAP_LIMIT,
      }),
    );
    return report.rows.find((row) => row.slice !== null)?.slice ?? null;
  }

  /** The slice with exactly this name that takes most of a range, on the tracks of a place. */
  async sliceCalled(
    name: string,
    { startPs, endPs }: TimeWindow,
    place: string,
  ): Promise<SliceRefReport | null> {
    // A slice may start long before the range; those that begin in it are found in any case.
    const { slices } = await this.search(exactly(name), startPs - (endPs - startPs));
    const overlap = (slice: SearchSlice) =>
      Math.min(slice.start_ps + slice.duration_ps, endPs) - Math.max(slice.start_ps, startPs);
    const group = place.replace('/', ' / ');
    const isThere = (slice: SearchSlice) => ` / ${slice.track_name}`.includes(` / ${group} / `);
    const found = slices.filter((slice) => overlap(slice) >= 0 && (place === '' || isThere(slice)));
    found.sort((one, other) => overlap(other) - overlap(one));
    return found[0]?.slice ?? null;
  }

  participants(ref: SliceRefReport, signal?: AbortSignal): Promise<ParticipantsReport> {
    return getJson(this.url('participants', { ...ref }), signal);
  }

  chain(ref: SliceRefReport, signal?: AbortSignal): Promise<ChainReport> {
    return getJson(this.url('chain', { ...ref }), signal);
  }

  /** The URL of what is around a slice and within it. */
  nestingUrl(ref: SliceRefReport): string {
    return this.url('nesting', { ...ref, limit: AREA_LIMIT });
  }

  /** The URL of an area's table. */
  areaUrl(area: Area, by: AreaKey): string {
    return this.url('area', { ...queryOfArea(area), by, limit: AREA_LIMIT });
  }

  /** The URL of an area's table by two keys. */
  pivotUrl(area: Area, by: AreaKey, across: AreaKey): string {
    return this.url('pivot', { ...queryOfArea(area), by, across, limit: AREA_LIMIT });
  }

  /** The URL of an area's merged stacks. */
  flameUrl(area: Area, order: FlameOrder): string {
    return this.url('flame', { ...queryOfArea(area), order, limit: FLAME_LIMIT });
  }

  private url(route: string, query: Record<string, string | number | null> = {}): string {
    return urlOf(`api/sessions/${this.session}/timeline/${route}`, query);
  }
}

/** The host and the device of `host/device`, of a device, or of a host alone. */
function splitPlace(place: string): [host: string | null, device: string | null] {
  const slash = place.lastIndexOf('/');
  if (slash >= 0) return [place.slice(0, slash), place.slice(slash + 1) || null];
  return place.includes(':') ? [null, place] : [place || null, null];
}

function queryOfArea(area: Area) {
  return {
    start_ps: Math.round(area.startPs),
    end_ps: Math.round(area.endPs),
    tracks: area.tracks?.join(',') ?? null,
  };
}

/** A pattern that only this name matches, with its capitals. */
function exactly(name: string): string {
  return `(?-i)^${escapeRegex(name)}$`;
}

/** The message of an error, or null if the request was only canceled. */
export function errorText(error: unknown): string | null {
  if (isAbort(error)) return null;
  return error instanceof Error ? error.message : String(error);
}

async function errorOf(response: Response): Promise<WireError> {
  const body = (await response.json().catch(() => null)) as {
    error?: string;
    hint?: string;
  } | null;
  const text = body?.error ?? `The server answered ${response.status}`;
  return new WireError(text, body?.hint ?? '', response.status);
}
