/** The frame that a flame graph is zoomed to. It is in the address, by name. */
import { createMemo, type Accessor } from 'solid-js';

import { getParam, setParams } from '../../shell/state';
import { linkKeys } from '../link-keys';
import type { FlameTree } from './layout';

export interface FlameZoom {
  /** -1 for all. */
  zoom: Accessor<number>;
  onZoom: (index: number) => void;
}

export function createFlameZoom(tree: Accessor<FlameTree>): FlameZoom {
  const keys = createMemo(() => {
    const { frames } = tree();
    return linkKeys(
      frames.map(({ title }) => title),
      frames.map(({ depth }) => depth),
    );
  });
  return {
    zoom: createMemo(() => keys().indexOf(getParam('zoom'))),
    onZoom: (index) => setParams({ zoom: keys().at(index) }, false),
  };
}
