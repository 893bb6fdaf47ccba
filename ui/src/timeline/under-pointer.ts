/** Notices that something else may be under a pointer that has not moved: another window, other rows, finer tiles. */
import type { Scene } from './scene';

export class UnderPointer {
  /** What the scene looked like when it was last examined. */
  private seen: readonly unknown[] = [];

  hasChanged(scene: Scene): boolean {
    return partsOf(scene).some((part, i) => part !== this.seen[i]);
  }

  remember(scene: Scene): void {
    this.seen = partsOf(scene);
  }

  /** What is drawn has changed, such as slices that were merged until their tile arrived. */
  forget(): void {
    this.seen = [];
  }
}

function partsOf({ viewport, geometry, layout }: Scene): readonly unknown[] {
  return [viewport.startPs, viewport.endPs, geometry.scrollY, layout];
}
