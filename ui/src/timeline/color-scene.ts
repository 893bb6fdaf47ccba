/** Gives the slices of a scene their colors, and dims all but those of some keys. */
import { isShownBy, slotOfSlices, type ColorBy } from './coloring';
import type { Scene } from './scene';
import { stepIndexAt } from './step-index';

export function colorScene(scene: Scene, by: ColorBy, only: ReadonlySet<string> | null): void {
  scene.only = only;
  const indexAt = (startPs: number) => stepIndexAt(scene.steps, startPs);
  scene.labels.glyphSlot = slotOfSlices(by, indexAt);
  scene.labels.isGlyphShown = isShownBy(by, only, (startPs) => scene.steps[indexAt(startPs)]?.step);
  for (const labels of new Set([scene.labels, scene.ghost?.labels ?? scene.labels])) {
    void labels.setColoring(by, only);
  }
}
