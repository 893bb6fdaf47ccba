/** Copies the strips of a frame to the screen. */
import { STRIP_ROWS, StripPixels } from './strips';

/** Strips with a canvas to copy them from. */
export class Strips extends StripPixels {
  private readonly canvas: HTMLCanvasElement;
  private readonly context: CanvasRenderingContext2D;
  private image: ImageData | null = null;

  constructor() {
    super();
    this.canvas = document.createElement('canvas');
    const context = this.canvas.getContext('2d', { willReadFrequently: true });
    if (!context) throw new Error('this browser does not support 2D canvases');
    this.context = context;
  }

  override begin(width: number, laneCount: number): boolean {
    const isNew = super.begin(width, laneCount);
    if (isNew) {
      this.canvas.width = width;
      this.canvas.height = this.laneCapacity * STRIP_ROWS;
      const bytes = new Uint8ClampedArray(this.pixels.buffer);
      this.image = new ImageData(bytes, width, this.canvas.height);
    }
    return isNew;
  }

  /** Writes the pixels of the first strips to the canvas. */
  commit(laneCount: number): void {
    if (!this.image) return;
    this.context.putImageData(this.image, 0, 0, 0, 0, this.width, laneCount * STRIP_ROWS);
  }

  /** Stretches a strip over its lane; image smoothing must be off. */
  blit(
    context: CanvasRenderingContext2D,
    strip: number,
    y: number,
    width: number,
    height: number,
  ): void {
    const from = strip * STRIP_ROWS;
    context.drawImage(this.canvas, 0, from, this.width, STRIP_ROWS, 0, y, width, height);
  }
}
