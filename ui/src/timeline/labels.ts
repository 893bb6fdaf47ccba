/**
 * Labels by id: names, classes and tints, fetched in batches when a tile mentions one for the first
 * time. Columns are typed arrays, so the draw loop reads them without a lookup.
 */
import { parsePattern } from '../format/pattern';
import type { LabelReport } from '../wire/generated/LabelReport';
import { classIndexOf, TINTS } from './palette';
import type { TrackTile } from './tile';

/** Fetches the labels with these ids. */
export type FetchLabels = (ids: readonly number[]) => Promise<LabelReport[]>;

const BATCH_SIZE = 300;
const FIRST_CAPACITY = 4096;

const UNKNOWN = 0;
const REQUESTED = 1;
const KNOWN = 2;

/** Every label seen so far. */
export class LabelTable {
  /** Color slot of a label: class times tints plus tint; slot 0 until it is known. */
  slot = new Uint8Array(FIRST_CAPACITY);
  /** 1 where the label matches the search; only meaningful during a search. */
  matches = new Uint8Array(FIRST_CAPACITY);
  generation = 0;
  /** The classes of all known labels. */
  readonly seenClasses = new Set<string>();
  private state = new Uint8Array(FIRST_CAPACITY);
  private readonly names: string[] = [];
  private readonly classes: string[] = [];
  private queue: number[] = [];
  private isFlushing = false;
  private pattern: RegExp | null = null;
  /** Labels that the server found; null until it has answered. */
  private found: ReadonlySet<number> | null = null;

  constructor(
    private readonly fetchLabels: FetchLabels,
    private readonly onArrival: () => void,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** The name, empty until it is known. */
  name(label: number): string {
    return this.names[label] ?? '';
  }

  className(label: number): string {
    return this.classes[label] ?? '';
  }

  /** Requests every label of these tracks that is not known yet. */
  request(tracks: readonly TrackTile[]): void {
    for (const track of tracks) {
      for (const lane of track.lanes) {
        if (!lane) continue;
        for (let i = 0; i < lane.glyphCount; i++) this.enqueue(lane.label[i]!);
      }
    }
    if (this.queue.length > 0 && !this.isFlushing) void this.flush();
  }

  /**
   * Marks the labels that a search matches; `null` ends the search. `found` are the labels that the
   * server found, which also searches scopes and sources; without it, names are matched here.
   */
  setPattern(pattern: RegExp | null, found: readonly number[] | null = null): void {
    this.pattern = pattern;
    this.found = found && new Set(found);
    for (let label = 0; label < this.names.length; label++) this.match(label);
    this.generation++;
  }

  private enqueue(label: number): void {
    if (label >= this.state.length) this.grow(label + 1);
    if (this.state[label] !== UNKNOWN) return;
    this.state[label] = REQUESTED;
    this.queue.push(label);
  }

  private grow(needed: number): void {
    const capacity = Math.max(needed, this.state.length * 2);
    const grown = (old: Uint8Array<ArrayBuffer>) => {
      const next = new Uint8Array(capacity);
      next.set(old);
      return next;
    };
    this.state = grown(this.state);
    this.slot = grown(this.slot);
    this.matches = grown(this.matches);
  }

  private async flush(): Promise<void> {
    this.isFlushing = true;
    // Wait, so that labels of tiles that arrive together are requested together.
    await Promise.resolve();
    while (this.queue.length > 0) {
      const ids = this.queue.splice(0, BATCH_SIZE);
      try {
        for (const report of await this.fetchLabels(ids)) this.add(report);
      } catch (error) {
        for (const id of ids) this.state[id] = UNKNOWN;
        this.onError(error);
        break;
      }
      this.generation++;
      this.onArrival();
    }
    this.isFlushing = false;
  }

  private add(report: LabelReport): void {
    const { label, name } = report;
    if (label >= this.state.length) this.grow(label + 1);
    this.names[label] = name;
    this.classes[label] = report.class;
    this.seenClasses.add(report.class);
    this.slot[label] = 1 + classIndexOf(report.class) * TINTS + tintOf(name);
    this.state[label] = KNOWN;
    this.match(label);
  }

  private match(label: number): void {
    const name = this.names[label];
    const isMatch = this.found
      ? this.found.has(label)
      : this.pattern !== null && name !== undefined && matchesName(this.pattern, name);
    this.matches[label] = isMatch ? 1 : 0;
  }
}

/** A tint that depends on the name alone, so it is the same in every run; digits are ignored. */
export function tintOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    if (code >= 48 && code <= 57) continue;
    hash = Math.imul(hash ^ code, 0x01000193);
  }
  return ((hash ^ (hash >>> 15)) >>> 0) % TINTS;
}

/** Whether a name matches; a marker of an op's end only by its own word, as on the server. */
function matchesName(pattern: RegExp, name: string): boolean {
  const isOfEnd = name.startsWith('end: ') && pattern.test(name.slice('end: '.length));
  return pattern.test(name) && !isOfEnd;
}

/** The pattern of a search: a regular expression, case-insensitive unless it has capitals. */
export function searchPattern(query: string): RegExp | null {
  return query ? parsePattern(query).regex : null;
}
