/** What the menu of a flame graph offers: on a frame, what a click does and its name; its picture. */
import { plotMenu } from '../chart/plot-menu';
import { copyWith } from '../copied';
import type { MenuEntry } from '../menu/menu';
import type { FlameTree } from './layout';

export function flameMenu(graph: {
  root: HTMLElement;
  label: string;
  tree: FlameTree;
  zoom: number;
  onZoom: (index: number) => void;
  /** The frame that the menu is for; -1 for none. */
  at: number;
  /** What the view offers for the frame. */
  own: readonly MenuEntry[];
  weight: string;
}): MenuEntry[] {
  const { tree, zoom, at } = graph;
  const frame = tree.frames[at];
  return [
    ...(frame
      ? [
          at === zoom
            ? { title: 'Zoom out', run: () => graph.onZoom(tree.parents[at] ?? -1) }
            : { title: 'Zoom in', run: () => graph.onZoom(at) },
          ...graph.own,
          { title: 'Copy the name', detail: frame.title, run: () => void copyWith('Name', frame.title) },
          'separator' as const,
        ]
      : []),
    ...plotMenu({
      root: graph.root,
      label: graph.label,
      data: () => ({
        columns: ['depth', 'name', graph.weight],
        rows: tree.frames.map(({ depth, title, weight }) => [depth, title, weight]),
      }),
      reset: zoom >= 0 ? () => graph.onZoom(-1) : null,
    }),
  ];
}
