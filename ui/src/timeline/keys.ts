/** The timeline's keys; each is registered, so that the list opened by `?` shows it. */
import { shared } from '../shell/shared';
import { registerShortcut, type Shortcut } from '../shell/shortcuts';
import type { Commands } from './commands';
import type { Direction } from './motion';
import { toggleCompact } from './row-commands';
import type { Timeline, Tool } from './timeline';

/** What the page around the timeline does on a key. */
export interface PageActions {
  focusSearch: () => void;
  toggleDetails: () => void;
  /** Closes the details; false if they are not open. */
  closeDetails: () => boolean;
}

const GROUP = 'Timeline';

/** Registers all keys; returns a function that unregisters them. */
export function registerKeys(
  timeline: Timeline,
  commands: Commands,
  page: PageActions,
): () => void {
  // Users may choose other keys, so what a key started is remembered until it is released.
  const held = new Map<string, Direction>();
  const undo = shortcutsOf(timeline, commands, page, held).map((shortcut) =>
    registerShortcut({ ...shortcut, group: GROUP }),
  );
  const release = (event: KeyboardEvent) => {
    const direction = held.get(event.code);
    if (direction) timeline.motion.release(direction, performance.now());
    held.delete(event.code);
    if (event.key === 'Shift') timeline.motion.isFast = false;
  };
  const stop = () => {
    held.clear();
    timeline.motion.releaseAll();
  };
  window.addEventListener('keyup', release);
  window.addEventListener('blur', stop);
  return () => {
    for (const each of undo) each();
    window.removeEventListener('keyup', release);
    window.removeEventListener('blur', stop);
    stop();
  };
}

type Entry = Omit<Shortcut, 'group'>;

function shortcutsOf(
  timeline: Timeline,
  commands: Commands,
  page: PageActions,
  held: Map<string, Direction>,
): Entry[] {
  const moving = (keys: string[], direction: Direction, label: string): Entry => ({
    keys,
    label,
    isHeld: true,
    run: (event) => {
      held.set(event.code, direction);
      timeline.motion.isFast = event.shiftKey;
      timeline.motion.press(direction, performance.now());
      timeline.redraw();
    },
  });
  const plain = (keys: string[], label: string, run: () => unknown): Entry => ({
    keys,
    label,
    run: () => void run(),
  });
  const tool = (key: string, name: Tool, label: string): Entry =>
    plain([key], label, () => timeline.tool[1](name));
  // A single-file report has no critical path: a server computes it.
  const togglePath = () => commands.togglePath();
  const pathKeys = shared() ? [] : [plain(['c'], 'Show or hide the critical path', togglePath)];
  return [
    moving(['w', 'Shift+w'], 'in', 'Zoom in at the cursor (Shift: faster)'),
    moving(['s', 'Shift+s'], 'out', 'Zoom out at the cursor (Shift: faster)'),
    moving(['a', 'Shift+a'], 'left', 'Pan left (Shift: faster)'),
    moving(['d', 'Shift+d'], 'right', 'Pan right (Shift: faster)'),
    plain([], 'Zoom in', () => commands.zoomBy(0.5)),
    plain([], 'Zoom out', () => commands.zoomBy(2)),
    { keys: ['Ctrl+wheel'], label: 'Zoom at the cursor' },
    { keys: ['Shift+wheel'], label: 'Pan' },
    { keys: ['drag'], label: 'Select an area (tool 1)' },
    { keys: ['click'], label: 'Select a slice' },
    { keys: ['double click'], label: 'Zoom to a slice' },
    plain(['f'], 'Zoom to the selection; again: show everything', () => commands.focus()),
    plain(['0'], 'Show the whole session', () => commands.reset()),
    plain(['ArrowLeft', ','], 'Previous slice in the lane', () => commands.neighbor(-1)),
    plain(['ArrowRight', '.'], 'Next slice in the lane', () => commands.neighbor(1)),
    plain(['Shift+ArrowLeft'], 'Previous slice of the same name', () => commands.sameName(-1)),
    plain(['Shift+ArrowRight'], 'Next slice of the same name', () => commands.sameName(1)),
    plain(['ArrowUp'], 'Enclosing slice', () => commands.parent()),
    plain(['ArrowDown'], 'First nested slice', () => commands.child()),
    plain(['['], 'Follow an arrow back to its cause', () => commands.followFlow('in')),
    plain([']'], 'Follow an arrow to its effect', () => commands.followFlow('out')),
    plain(['m'], 'Mark the selection until the next mark', () => commands.mark(false)),
    plain(['Shift+m'], 'Mark the selection and keep the mark', () => commands.mark(true)),
    plain(['t'], 'Mark the selection and write a text', () => commands.describe()),
    plain(['r'], 'Turn the selection into an area', () => commands.selectionToArea()),
    plain(['q'], 'Show or hide the details', page.toggleDetails),
    plain(['h'], 'Compact rows: half as high, or not', () => toggleCompact(timeline)),
    { keys: ['Alt+ArrowUp', 'Alt+ArrowDown'], label: 'On the name of a track or group: move it' },
    plain(['/'], 'Search', page.focusSearch),
    { keys: ['Enter', 'Shift+Enter'], label: 'In search: next, previous match' },
    plain(['n'], 'Next step', () => commands.step(1)),
    plain(['p'], 'Previous step', () => commands.step(-1)),
    ...pathKeys,
    tool('1', 'select', 'Tool: select'),
    tool('2', 'pan', 'Tool: pan'),
    tool('3', 'zoom', 'Tool: zoom'),
    tool('4', 'measure', 'Tool: measure'),
    plain(['~', '`'], 'Show frame statistics', () => {
      timeline.showsStats = !timeline.showsStats;
      timeline.redraw();
    }),
    {
      keys: ['Escape'],
      label: 'Close the details, then clear selection, area, search',
      run: () => page.closeDetails() || commands.clear(),
    },
  ];
}
