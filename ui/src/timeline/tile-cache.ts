/**
 * Decoded tiles by track, level and index, bounded by bytes. The unit of eviction is a whole
 * response (a batch), because its tracks are views over one buffer.
 */
import type { Tile, TrackTile } from './tile';
import { ancestorIndex, tileKey } from './tile-grid';

interface Batch {
  level: number;
  index: number;
  tracks: number[];
  byteLength: number;
}

interface Entry {
  tile: TrackTile;
  batch: Batch;
}

/** A tile that can be drawn instead of the requested one. */
export interface Found {
  tile: TrackTile;
  level: number;
}

/** Tiles in memory; the least recently used are evicted first. */
export class TileCache {
  /** Counts changes, so that data derived from the cache can be checked for staleness. */
  generation = 0;
  byteLength = 0;
  private readonly entries = new Map<number, Map<number, Entry>>();
  /** Least recently used first. */
  private readonly batches = new Set<Batch>();

  constructor(private readonly budgetBytes: number) {}

  get batchCount(): number {
    return this.batches.size;
  }

  has(track: number, level: number, index: number): boolean {
    return this.entries.get(track)?.has(tileKey(level, index)) ?? false;
  }

  /** The exact tile; marks it as used. */
  get(track: number, level: number, index: number): TrackTile | undefined {
    const entry = this.entries.get(track)?.get(tileKey(level, index));
    if (!entry) return undefined;
    this.batches.delete(entry.batch);
    this.batches.add(entry.batch);
    return entry.tile;
  }

  /** The exact tile or the nearest coarser one that covers it. */
  find(track: number, level: number, index: number, coarsest: number): Found | undefined {
    for (let up = 0; level + up <= coarsest; up++) {
      const tile = this.get(track, level + up, ancestorIndex(index, up));
      if (tile) return { tile, level: level + up };
    }
    return undefined;
  }

  /** Stores a response and evicts the least recently used ones. */
  put(level: number, index: number, tile: Tile): void {
    const batch: Batch = {
      level,
      index,
      tracks: tile.tracks.map((track) => track.track),
      byteLength: tile.byteLength,
    };
    const key = tileKey(level, index);
    for (const track of tile.tracks) {
      let byKey = this.entries.get(track.track);
      if (!byKey) this.entries.set(track.track, (byKey = new Map()));
      byKey.set(key, { tile: track, batch });
    }
    this.batches.add(batch);
    this.byteLength += batch.byteLength;
    this.generation++;
    this.evict(batch);
  }

  clear(): void {
    this.entries.clear();
    this.batches.clear();
    this.byteLength = 0;
    this.generation++;
  }

  private evict(newest: Batch): void {
    for (const batch of this.batches) {
      if (this.byteLength <= this.budgetBytes || batch === newest) return;
      this.batches.delete(batch);
      this.byteLength -= batch.byteLength;
      const key = tileKey(batch.level, batch.index);
      for (const track of batch.tracks) {
        const byKey = this.entries.get(track);
        if (byKey?.get(key)?.batch === batch) byKey.delete(key);
      }
    }
  }
}
