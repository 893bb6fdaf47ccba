/** The cost of frames, kept in ring buffers so that recording allocates nothing. */

const CAPACITY = 240;

/** The latest values, unordered. */
export class Ring {
  private readonly values = new Float64Array(CAPACITY);
  private next = 0;
  private size = 0;

  push(value: number): void {
    this.values[this.next] = value;
    this.next = (this.next + 1) % CAPACITY;
    this.size = Math.min(this.size + 1, CAPACITY);
  }

  clear(): void {
    this.size = 0;
    this.next = 0;
  }

  get count(): number {
    return this.size;
  }

  /** A quantile by nearest rank; 0 without values. */
  quantile(share: number): number {
    if (this.size === 0) return 0;
    const sorted = this.values.slice(0, this.size).sort();
    return sorted[Math.min(this.size - 1, Math.floor(share * this.size))]!;
  }
}

/** The cost of drawing, and the time between consecutive frames. */
export class FrameClock {
  /** Milliseconds of script per frame. */
  readonly drawMs = new Ring();
  /** Milliseconds from frame to frame while something moves. */
  readonly intervalMs = new Ring();
  frameCount = 0;
  private lastMs = -1;

  /** Records the start of a frame; `continues` if the previous frame requested it. */
  begin(nowMs: number, continues: boolean): void {
    if (continues && this.lastMs >= 0) this.intervalMs.push(nowMs - this.lastMs);
    this.lastMs = nowMs;
    this.frameCount++;
  }

  reset(): void {
    this.drawMs.clear();
    this.intervalMs.clear();
    this.lastMs = -1;
    this.frameCount = 0;
  }
}
