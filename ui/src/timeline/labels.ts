/**
 * Labels by id: names, classes and tints, fetched in batches when a tile mentions one for the first
 * time. Columns are typed arrays, so the draw loop reads them without a lookup.
 */
import type { LabelFacts } from '../wire/generated/LabelFacts';
import type { LabelReport } from '../wire/generated/LabelReport';
import { COLORS_BY, isOfSlices, keyOf, slotOf, type ColorBy, type LabelText } from './coloring';
import { FIRST_LAID_LABEL } from './laid';
import type { TrackTile } from './tile';

/** Fetches the labels with these ids. */
export type FetchLabels = (ids: readonly number[]) => Promise<LabelReport[]>;
/** Fetches what else is known about them. */
export type FetchFacts = (ids: readonly number[]) => Promise<LabelFacts[]>;

/** The color slot of a slice by its start and duration. */
export type GlyphSlot = (startPs: number, durationPs: number) => number;

const BATCH_SIZE = 300;
const FIRST_CAPACITY = 4096;
/** Names that have short forms: those of all change with each that arrives. */
const MOST_SHORTENED = 5000;

const UNKNOWN = 0;
const REQUESTED = 1;
const KNOWN = 2;

/** Every label seen so far. */
export class LabelTable {
  /** What the colors of slices show, if that is not the same for all slices of a label. */
  glyphSlot: GlyphSlot | null = null;
  /** Whether a slice of a label that matches is not dimmed, if that differs between its slices. */
  isGlyphShown: ((startPs: number, durationPs: number) => boolean) | null = null;
  /** Color slot of a label; slot 0 until it is known. */
  slot = new Uint8Array(FIRST_CAPACITY);
  /** 1 where the label matches the search; only meaningful during a search. */
  matches = new Uint8Array(FIRST_CAPACITY);
  generation = 0;
  /** The classes of all known labels. */
  readonly seenClasses = new Set<string>();
  private state = new Uint8Array(FIRST_CAPACITY);
  private readonly names = new Map<number, string>();
  /** Long names that are shown, and the short form of each. */
  private readonly longNames = new Set<string>();
  private short: ReadonlyMap<string, string> = new Map();
  private isShortening = false;
  private readonly classes = new Map<number, string>();
  private queue: number[] = [];
  private isFlushing = false;
  private pattern: RegExp | null = null;
  /** Labels that the server found; null until it has answered. */
  private found: ReadonlySet<number> | null = null;
  private by: ColorBy = 'class';
  /** The keys that are not dimmed; null for all. */
  private only: ReadonlySet<string> | null = null;
  private readonly facts = new Map<number, LabelFacts>();

  constructor(
    private readonly fetchLabels: FetchLabels,
    private readonly onArrival: () => void,
    private readonly onError: (error: unknown) => void,
    private readonly fetchFacts: FetchFacts = () => Promise.resolve([]),
  ) {}

  /** The name, empty until it is known. */
  name(label: number): string {
    return this.names.get(label) ?? '';
  }

  /** A name as it is shown: short if it is a long path, or one of C++. */
  shortOf(name: string): string {
    return this.short.get(name) ?? name;
  }

  /**
   * Finds short forms of names. They depend on each other, as they say what tells functions of one name
   * apart; so all that is shown together is learned here.
   */
  learnNames(names: Iterable<string>): void {
    const before = this.longNames.size;
    for (const name of names) {
      if (this.longNames.size < MOST_SHORTENED && isLong(name)) this.longNames.add(name);
    }
    if (this.longNames.size > before && !this.isShortening) void this.shorten();
  }

  className(label: number): string {
    return this.classes.get(label) ?? '';
  }

  /** Adds labels that the page made. */
  addOwn(reports: readonly LabelReport[]): void {
    for (const report of reports) this.add(report);
    this.generation++;
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
    for (const label of this.names.keys()) this.match(label);
    this.generation++;
  }

  /** Colors labels by something else, and dims all but those with these keys. */
  async setColoring(by: ColorBy, only: ReadonlySet<string> | null): Promise<void> {
    this.by = by;
    this.only = only;
    this.recolor();
    const isMissing = (label: number) => label < FIRST_LAID_LABEL && !this.facts.has(label);
    const missing = [...this.names.keys()].filter(isMissing);
    if (this.needsFacts() && missing.length > 0) await this.learn(missing);
  }

  /** The keys of the labels seen so far with their color slots, those of most labels first. */
  keys(): { key: string; slot: number }[] {
    const seen = new Map<string, { key: string; slot: number; count: number }>();
    this.names.forEach((_, label) => {
      const key = keyOf(this.by, this.textOf(label));
      const known = seen.get(key);
      if (known) known.count++;
      else if (key) seen.set(key, { key, slot: this.slot[label]!, count: 1 });
    });
    return [...seen.values()].sort((one, other) => other.count - one.count);
  }

  /** The key of a label, for isolating it; empty if it has none. */
  keyOf(by: ColorBy, label: number): string {
    return keyOf(by, this.textOf(label));
  }

  /** 1 if a slice is not dimmed; slices that are merged have a mean duration. */
  matchOf(label: number, startPs: number, durationPs: number): number {
    const isShown = this.isGlyphShown?.(startPs, durationPs) ?? true;
    return isShown ? this.matches[label]! : 0;
  }

  private textOf(label: number): LabelText {
    return {
      name: this.name(label),
      className: this.className(label),
      facts: this.facts.get(label),
    };
  }

  private needsFacts(): boolean {
    return COLORS_BY.some(({ key, needsFacts }) => key === this.by && needsFacts);
  }

  private async learn(labels: readonly number[]): Promise<void> {
    try {
      for (let at = 0; at < labels.length; at += BATCH_SIZE) {
        const facts = await this.fetchFacts(labels.slice(at, at + BATCH_SIZE));
        for (const one of facts) this.facts.set(one.label, one);
      }
    } catch (error) {
      this.onError(error);
    }
    this.recolor();
    this.onArrival();
  }

  private recolor(): void {
    this.names.forEach((_, label) => {
      this.slot[label] = slotOf(this.by, this.textOf(label));
      this.match(label);
    });
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
      this.learnNames(ids.map((id) => this.name(id)));
      if (this.needsFacts()) await this.learn(ids);
      this.onArrival();
    }
    this.isFlushing = false;
  }

  private async shorten(): Promise<void> {
    this.isShortening = true;
    // Few sessions have such names. Those that are learned meanwhile are among them.
    const { shortNames } = await import('../format/short-name');
    this.isShortening = false;
    this.short = shortNames([...this.longNames]);
    this.generation++;
    this.onArrival();
  }

  private add(report: LabelReport): void {
    const { label, name } = report;
    if (label >= this.state.length) this.grow(label + 1);
    this.names.set(label, name);
    this.classes.set(label, report.class);
    this.seenClasses.add(report.class);
    this.slot[label] = slotOf(this.by, this.textOf(label));
    this.state[label] = KNOWN;
    this.match(label);
  }

  private match(label: number): void {
    const name = this.names.get(label);
    const { found, pattern, only } = this;
    // The server knows nothing of a laid track.
    const isFound = found && label < FIRST_LAID_LABEL
      ? found.has(label)
      : pattern === null || (name !== undefined && matchesName(pattern, name));
    const isShown =
      only === null || isOfSlices(this.by) || only.has(keyOf(this.by, this.textOf(label)));
    this.matches[label] = isFound && isShown ? 1 : 0;
  }
}

/** Whether a name is a path, or a C++ signature with more than people read, such as that of a kernel. */
function isLong(name: string): boolean {
  // Frames of Python (`f.<locals>.g`) and regions of the runtime (`Client::Execute`) are none.
  return /^_Z[N\d]|^void [\w:]+[<(]|^[\w:]+::\w+<.+>|^[^\s/]+(\/[^\s/]+){2,}$/.test(name);
}

/** Whether a name matches; a marker of an op's end only by its own word, as on the server. */
function matchesName(pattern: RegExp, name: string): boolean {
  const isOfEnd = name.startsWith('end: ') && pattern.test(name.slice('end: '.length));
  return pattern.test(name) && !isOfEnd;
}
