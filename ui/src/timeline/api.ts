/** The timeline's requests, with relative URLs. */
import { escapeRegex } from '../format/text';
import { getJson, isAbort, urlOf, WireError } from '../wire/client';
import { send } from '../wire/transport';
import type { LabelFacts } from '../wire/generated/LabelFacts';
import type { LabelReport } from '../wire/generated/LabelReport';
import type { SearchSlice } from '../wire/generated/SearchSlice';
import type { SearchReport } from '../wire/generated/SearchReport';
import type { SliceDetails } from '../wire/generated/SliceDetails';
import type { SliceRefReport } from '../wire/generated/SliceRefReport';
import { OCCURRENCE_LIMIT, type Occurrences } from './occurrences';
import type { Area } from './scene';
import { TILE_PX } from './tile-grid';
import type { TimeWindow } from './viewport';

/** What the rows of an area's table are grouped by. */
export type AreaKey = 'name' | 'class' | 'scope' | 'track' | 'device' | 'program' | 'step';

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

  /** All slices with exactly this name, in time order, up to a limit. */
  async occurrences(name: string, signal?: AbortSignal): Promise<Occurrences> {
    const options = { query: exactly(name), from_ps: 0, limit: OCCURRENCE_LIMIT };
    const found: SearchReport = await getJson(this.url('search', options), signal);
    return { name, slices: found.slices, total: found.match_count };
  }

  /**
   * Slices with exactly this name that overlap a range, those that take most of it first. Reports omit
   * the `$` before the name of a Python frame.
   */
  async slicesCalled(name: string, { startPs, endPs }: TimeWindow): Promise<SearchSlice[]> {
    // A slice may start long before the range; those that begin in it are found in any case.
    const from = startPs - (endPs - startPs);
    const { slices } = await this.search(exactly(name, '\\$?'), from);
    const overlap = (slice: SearchSlice) =>
      Math.min(slice.start_ps + slice.duration_ps, endPs) - Math.max(slice.start_ps, startPs);
    const found = slices.filter((slice) => overlap(slice) > 0);
    return found.sort((one, other) => overlap(other) - overlap(one));
  }

  /** The URL of an area's table. */
  areaUrl(area: Area, by: AreaKey): string {
    return this.url('area', {
      start_ps: Math.round(area.startPs),
      end_ps: Math.round(area.endPs),
      tracks: area.tracks?.join(',') ?? null,
      by,
      limit: AREA_LIMIT,
    });
  }

  private url(route: string, query: Record<string, string | number | null> = {}): string {
    return urlOf(`api/sessions/${this.session}/timeline/${route}`, query);
  }
}

/** A pattern that only this name matches, with its capitals. */
function exactly(name: string, before = ''): string {
  return `(?-i)^${before}${escapeRegex(name)}$`;
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
