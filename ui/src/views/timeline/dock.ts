/** Where the details of the timeline are: below the tracks, at their right, or over all of them. */
import { isNarrow } from '../../shell/rail-state';
import { getParam, setParams } from '../../shell/state';
import type { GlyphName } from './glyphs';

type Dock = 'bottom' | 'right' | 'full';

const DOCKS: readonly { dock: Dock; title: string; glyph: GlyphName }[] = [
  { dock: 'bottom', title: 'Details below', glyph: 'dock-bottom' },
  { dock: 'right', title: 'Details at the right', glyph: 'dock-right' },
  { dock: 'full', title: 'Details only', glyph: 'dock-full' },
];

/** A phone has no room at the right. */
export const docks = () => DOCKS.filter(({ dock }) => dock !== 'right' || !isNarrow());

export const dockOf = (): Dock =>
  docks().find(({ dock }) => dock === getParam('dock'))?.dock ?? 'bottom';

export const setDock = (dock: Dock) =>
  setParams({ dock: dock === 'bottom' ? null : dock }, true);
