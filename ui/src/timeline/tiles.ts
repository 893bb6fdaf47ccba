/**
 * Decides which tiles to request and requests them: first the missing ones on the screen, nearest to
 * the cursor first; then the whole session as a substitute for any tile, rows just off the screen, and
 * the neighbors in time and scale. Requests that are no longer wanted are canceled.
 */
import { decodeTile, type Tile } from './tile';
import type { TileCache } from './tile-cache';
import { ancestorIndex, lastTileIndex, tileIndexAt, tileKey, tileSpanPs } from './tile-grid';
import type { TimeWindow } from './viewport';

/** One request: tracks of one tile. */
export interface TileRequest {
  level: number;
  index: number;
  tracks: number[];
  /** Whether it is on the screen; others wait until nothing on the screen is missing. */
  urgent: boolean;
}

/** Tiles of a level, from the first to the last. */
export interface Overview {
  level: number;
  first: number;
  last: number;
  tracks: readonly number[];
}

/** The view, as far as tiles depend on it. */
export interface TileView {
  window: TimeWindow;
  /** The whole session; no tiles are requested outside it. */
  session: TimeWindow;
  level: number;
  rootLevel: number;
  /** For the minimap, where the root tile is too coarse. */
  overview?: Overview | null;
  /** Tracks on the screen. */
  visible: readonly number[];
  /** Tracks just above and below. */
  nearby: readonly number[];
  /** Time at the cursor. */
  anchorPs: number;
}

/** Fetches the bytes of the tile between two times. */
export type FetchTile = (
  startPs: number,
  endPs: number,
  tracks: readonly number[],
  signal: AbortSignal,
) => Promise<ArrayBuffer>;

const CONCURRENT_REQUESTS = 4;
const RETRY_MS = 2000;

/** Every tile worth having for this view, most urgent first. */
export function wantedTiles(view: TileView): TileRequest[] {
  const { window, session, level, rootLevel, overview, visible, nearby } = view;
  const startPs = Math.max(window.startPs, session.startPs);
  const endPs = Math.min(window.endPs, session.endPs);
  const requests: TileRequest[] = [];
  const add = (atLevel: number, index: number, tracks: readonly number[], urgent: boolean) => {
    const beginPs = index * tileSpanPs(atLevel);
    const isOutside = beginPs >= session.endPs || beginPs + tileSpanPs(atLevel) <= session.startPs;
    if (isOutside || tracks.length === 0) return;
    requests.push({ level: atLevel, index, tracks: [...tracks], urgent });
  };
  if (endPs > startPs) {
    const first = tileIndexAt(level, startPs);
    const last = Math.max(first, lastTileIndex(level, endPs));
    const indices = Array.from({ length: last - first + 1 }, (_, i) => first + i);
    const anchor = view.anchorPs / tileSpanPs(level) - 0.5;
    indices.sort((a, b) => Math.abs(a - anchor) - Math.abs(b - anchor));
    for (const index of indices) add(level, index, visible, true);
    const all = [...visible, ...nearby];
    const root = tileIndexAt(rootLevel, session.startPs);
    if (level < rootLevel) add(rootLevel, root, all, false);
    if (overview) {
      for (let index = overview.first; index <= overview.last; index++) {
        add(overview.level, index, overview.tracks, false);
      }
    }
    for (const index of indices) add(level, index, nearby, false);
    add(level, first - 1, visible, false);
    add(level, last + 1, visible, false);
    if (level < rootLevel) {
      const parent = ancestorIndex(first, 1);
      for (let index = parent; index <= ancestorIndex(last, 1); index++) {
        add(level + 1, index, visible, false);
      }
    }
  }
  return requests;
}

interface Flight {
  key: number;
  request: TileRequest;
  controller: AbortController;
}

/** Fetches wanted tiles into the cache, a few at a time. */
export class TileLoader {
  requestCount = 0;
  loadedCount = 0;
  failedCount = 0;
  canceledCount = 0;
  /** Milliseconds from request to decoded tile, the latest ones. */
  readonly latenciesMs: number[] = [];
  private wanted: TileRequest[] = [];
  private wantedKeys = new Set<number>();
  private readonly flights = new Set<Flight>();
  private readonly retryAt = new Map<number, number>();

  constructor(
    private readonly cache: TileCache,
    private readonly fetchTile: FetchTile,
    private readonly onArrival: (tile: Tile) => void,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Whether no urgent tile is missing or in flight. */
  get settled(): boolean {
    for (const flight of this.flights) if (flight.request.urgent) return false;
    return !this.wanted.some((request) => request.urgent && this.missing(request).length > 0);
  }

  get inFlight(): number {
    return this.flights.size;
  }

  /** Replaces the list of wanted tiles: cancels requests that are no longer on it, starts missing ones. */
  want(view: TileView): void {
    this.wanted = wantedTiles(view);
    this.wantedKeys = new Set(this.wanted.map((request) => tileKey(request.level, request.index)));
    for (const flight of this.flights) {
      if (!this.wantedKeys.has(flight.key)) this.cancel(flight);
    }
    this.pump();
  }

  dispose(): void {
    this.wanted = [];
    for (const flight of this.flights) this.cancel(flight);
  }

  private cancel(flight: Flight): void {
    this.flights.delete(flight);
    this.canceledCount++;
    flight.controller.abort();
  }

  private pump(): void {
    for (const request of this.wanted) {
      if (this.flights.size >= CONCURRENT_REQUESTS) return;
      if (!request.urgent && this.hasUrgentFlight()) return;
      const tracks = this.missing(request);
      if (tracks.length > 0) void this.start({ ...request, tracks });
    }
  }

  private hasUrgentFlight(): boolean {
    for (const flight of this.flights) if (flight.request.urgent) return true;
    return false;
  }

  /** Tracks of the request that are neither cached nor in flight. */
  private missing(request: TileRequest): number[] {
    const key = tileKey(request.level, request.index);
    if ((this.retryAt.get(key) ?? 0) > performance.now()) return [];
    return request.tracks.filter((track) => {
      if (this.cache.has(track, request.level, request.index)) return false;
      for (const flight of this.flights) {
        if (flight.key === key && flight.request.tracks.includes(track)) return false;
      }
      return true;
    });
  }

  private async start(request: TileRequest): Promise<void> {
    const key = tileKey(request.level, request.index);
    const flight: Flight = { key, request, controller: new AbortController() };
    this.flights.add(flight);
    this.requestCount++;
    const beganMs = performance.now();
    const span = tileSpanPs(request.level);
    try {
      const startPs = request.index * span;
      const { signal } = flight.controller;
      const buffer = await this.fetchTile(startPs, startPs + span, request.tracks, signal);
      if (!this.flights.has(flight)) return;
      const tile = decodeTile(buffer);
      this.cache.put(request.level, request.index, tile);
      this.loadedCount++;
      this.latenciesMs.push(performance.now() - beganMs);
      if (this.latenciesMs.length > 200) this.latenciesMs.shift();
      this.onArrival(tile);
    } catch (error) {
      if (flight.controller.signal.aborted) return;
      this.failedCount++;
      this.retryAt.set(key, performance.now() + RETRY_MS);
      setTimeout(() => this.pump(), RETRY_MS + 50);
      this.onError(error);
    } finally {
      this.flights.delete(flight);
      this.pump();
    }
  }
}
