/**
 * Names on slices: clipped to the slice, and moved to the left edge of the screen if the slice
 * begins before it. Text is measured once per label and shortened once per label and length.
 */
import type { LabelTable } from './labels';
import type { Palette } from './palette';
import type { LabelSink } from './strips';

const CAPACITY = 6000;
const PADDING_PX = 4;
const MINIMUM_CHARACTERS = 2;
const ELLIPSIS = '…';

/** Labels of one frame, collected while the slices are written. */
export class SliceLabels implements LabelSink {
  count = 0;
  private readonly lane = new Uint16Array(CAPACITY);
  private readonly label = new Uint32Array(CAPACITY);
  /** Color of the text: 0 white, 1 dark, 2 muted. */
  private readonly ink = new Uint8Array(CAPACITY);
  private readonly startPx = new Float32Array(CAPACITY);
  private readonly endPx = new Float32Array(CAPACITY);
  /** Instants: slices of zero duration. */
  instantCount = 0;
  readonly instantLane = new Uint16Array(CAPACITY);
  readonly instantSlot = new Uint8Array(CAPACITY);
  readonly instantPx = new Float32Array(CAPACITY);
  private widths = new Float32Array(4096);
  /** Shortened text by label and number of characters. */
  private readonly shortened = new Map<number, string[]>();
  /** For which labels texts were measured: those that arrive may change the short forms of others. */
  private measured = -1;

  begin(): void {
    this.count = 0;
    this.instantCount = 0;
  }

  /** Adds an instant unless it would overlap the previous one. */
  addInstant(lane: number, slot: number, px: number): void {
    const i = this.instantCount;
    if (i >= CAPACITY) return;
    if (i > 0 && this.instantLane[i - 1] === lane && px - this.instantPx[i - 1]! < 8) return;
    this.instantLane[i] = lane;
    this.instantSlot[i] = slot;
    this.instantPx[i] = px;
    this.instantCount++;
  }

  add(lane: number, label: number, ink: number, startPx: number, endPx: number): void {
    if (this.count >= CAPACITY) return;
    const i = this.count++;
    this.lane[i] = lane;
    this.label[i] = label;
    this.ink[i] = ink;
    this.startPx[i] = startPx;
    this.endPx[i] = endPx;
  }

  /** Forgets measured widths, after a change of font. */
  forget(): void {
    this.widths.fill(0);
    this.shortened.clear();
  }

  /**
   * Draws all labels whose strip is in the range; `centerOf` gives the middle of a strip's lane.
   */
  draw(
    context: CanvasRenderingContext2D,
    labels: LabelTable,
    palette: Palette,
    ratio: number,
    widthPx: number,
    centerOf: Float32Array,
    firstStrip: number,
    lastStrip: number,
  ): void {
    if (this.measured !== labels.generation) this.forget();
    this.measured = labels.generation;
    // One pass per color, so that each color is set once.
    for (let ink = 0; ink < 3; ink++) {
      context.fillStyle = ink === 1 ? '#111418' : ink === 0 ? '#ffffff' : palette.theme.mutedText;
      for (let i = 0; i < this.count; i++) {
        const strip = this.lane[i]!;
        if (strip < firstStrip || strip >= lastStrip) continue;
        if (this.ink[i] !== ink) continue;
        const left = Math.max(0, this.startPx[i]! / ratio) + PADDING_PX;
        const right = Math.min(widthPx, this.endPx[i]! / ratio) - PADDING_PX;
        const text = this.fitting(context, labels, this.label[i]!, right - left);
        if (text) context.fillText(text, left, centerOf[strip]!);
      }
    }
  }

  /** The name, shortened to fit; empty if there is too little room. */
  private fitting(
    context: CanvasRenderingContext2D,
    labels: LabelTable,
    label: number,
    room: number,
  ): string {
    const name = labels.shortOf(labels.name(label));
    if (!name || room < 8) return '';
    const width = this.widthOf(context, label, name);
    if (width <= room) return name;
    let characters = Math.floor((room / width) * name.length);
    if (characters < MINIMUM_CHARACTERS) return '';
    let byLength = this.shortened.get(label);
    if (!byLength) this.shortened.set(label, (byLength = []));
    const known = byLength[characters];
    if (known !== undefined) return known;
    const asked = characters;
    let text = name.slice(0, characters) + ELLIPSIS;
    // The text is cached for this many characters, so it must fit the smallest room that allows them.
    const least = (asked / name.length) * width;
    while (characters > 0 && context.measureText(text).width > least) {
      text = name.slice(0, --characters) + ELLIPSIS;
    }
    byLength[asked] = characters < MINIMUM_CHARACTERS ? '' : text;
    return byLength[asked];
  }

  private widthOf(context: CanvasRenderingContext2D, label: number, name: string): number {
    if (label >= this.widths.length) {
      const grown = new Float32Array(Math.max(label + 1, this.widths.length * 2));
      grown.set(this.widths);
      this.widths = grown;
    }
    let width = this.widths[label]!;
    if (width === 0) {
      width = context.measureText(name).width;
      this.widths[label] = width;
    }
    return width;
  }
}
