/** What the command palette does with tracks, groups, colors and times of the timeline. */
import type { Command } from '../../shell/palette-commands';
import { shared } from '../../shell/shared';
import { clockChoices } from '../../timeline/clock';
import { keyOf } from '../../timeline/coloring';
import { hostSectionsOf, namesOfAllGroups } from '../../timeline/host-sections';
import { tracksOf, type LayoutChoices } from '../../timeline/layout';
import { hideOthers } from '../../timeline/hide-others';
import type { Commands } from '../../timeline/commands';
import { hideTracks, togglePin } from '../../timeline/row-commands';
import { toggled } from '../../timeline/sets';
import { stepIndexAt } from '../../timeline/step-index';
import type { Timeline } from '../../timeline/timeline';
import { arrangements, showArrangement } from './arrangement-store';
import { titleOfColor } from './color-titles';
import { docks, setDock } from './dock';
import { laidOver } from './menus';
import { chooseWithUndo, withUndo } from './undo';

const action = (title: string, detail: string, run: () => void): Command => ({
  title,
  detail,
  group: 'Timeline',
  run,
});

/** `onArrange` opens the list of saved arrangements, `onDetails` the details. */
export function rowCommands(
  timeline: Timeline,
  commands: Commands,
  onArrange: () => void,
  onDetails: () => void,
): Command[] {
  const { closedGroups } = timeline.choices[0]();
  const sections = hostSectionsOf(timeline.report);
  // Of thousands of hosts, those that are looked at.
  const isLookedAt = (group: Group) => !closedGroups.has(sections.get(group)?.name ?? '');
  const groups = [...new Set(sections.values()), ...timeline.report.groups.filter(isLookedAt)];
  return [
    ...allRows(timeline),
    ...saved(timeline, onArrange),
    ...clocks(timeline),
    ...places(onDetails),
    ...overlays(timeline, commands),
    ...isolations(timeline),
    ...groups.flatMap((group) => ofGroup(timeline, group)),
    ...timeline.report.groups.filter(isLookedAt).flatMap((group) =>
      tracksOf(group).flatMap(({ track, name }) => ofTrack(timeline, track, name, group.name)),
    ),
  ];
}

type Group = Timeline['report']['groups'][number];

/** Commands on all rows, and those that end what others began. */
function allRows(timeline: Timeline): Command[] {
  const { hidden, pinned, trackOrder, groupOrder } = timeline.choices[0]();
  const { by, only } = timeline.coloring[0]();
  const names = namesOfAllGroups(timeline.report);
  const change = (text: string, changes: Partial<LayoutChoices>) =>
    chooseWithUndo(timeline, text, changes);
  const list = [
    action('Open all groups', '', () => change('All groups open', { closedGroups: new Set() })),
    action('Close all groups', '', () =>
      change('All groups closed', { closedGroups: new Set(names) }),
    ),
  ];
  if (hidden.size > 0) {
    const show = () => change('All tracks shown', { hidden: new Set() });
    list.push(action('Show hidden tracks', String(hidden.size), show));
  }
  if (pinned.length > 0) {
    list.push(action('Unpin all tracks', '', () => change('No track is pinned', { pinned: [] })));
  }
  if (trackOrder.length + groupOrder.length > 0) {
    const usual = { trackOrder: [], groupOrder: [] };
    list.push(
      action('Usual order of all rows', '', () => change('Rows in their usual order', usual)),
    );
  }
  if (only) {
    const isolated = [...only].map((key) => titleOfColor(by, key)).join(', ');
    list.push(action('Show all colors', isolated, () => timeline.color(by)));
  }
  return list;
}

function saved(timeline: Timeline, onArrange: () => void): Command[] {
  return [
    action('Save or choose an arrangement …', 'rows and colors under a name', onArrange),
    ...arrangements(timeline).map((one) =>
      action(`Arrangement ${one.name}`, 'rows and colors', () => showArrangement(timeline, one)),
    ),
  ];
}

function clocks(timeline: Timeline): Command[] {
  return clockChoices(timeline.times.clock[0]())
    .filter(({ missing }) => missing === '')
    .map(({ kind, title }) => action(`Times ${title}`, '', () => timeline.times.readAs(kind)));
}

/** Where the details are. */
function places(onDetails: () => void): Command[] {
  return docks().map(({ dock, title }) =>
    action(title, '', () => {
      setDock(dock);
      onDetails();
    }),
  );
}

/** Other steps over the one in the middle of the window. */
function overlays(timeline: Timeline, commands: Commands): Command[] {
  const { steps, viewport } = timeline.scene;
  const step = steps[Math.max(0, stepIndexAt(steps, (viewport.startPs + viewport.endPs) / 2))];
  if (!step) return [];
  return laidOver(timeline, commands, step).map(({ title, detail, run }) =>
    action(`Lay the ${title.charAt(0).toLowerCase()}${title.slice(1)} over step ${step.step}`, detail, run),
  );
}

/** What the selected slice has in common with others. */
function isolations(timeline: Timeline): Command[] {
  const details = timeline.selection[0]()?.details;
  if (!details) return [];
  const { name, scope, program } = details;
  const facts = { label: 0, scope: scope ?? '', program: program ?? '', pass: '' };
  const kinds = shared() ? (['class'] as const) : (['class', 'scope', 'program'] as const);
  return kinds.flatMap((by) => {
    const key = keyOf(by, { name, className: details.class, facts });
    if (!key) return [];
    const run = () => timeline.color(by, new Set([key]));
    return [action(`Only the ${by} of the selected slice`, titleOfColor(by, key), run)];
  });
}

function ofGroup(timeline: Timeline, group: Group): Command[] {
  const { name } = group;
  const { closedGroups } = timeline.choices[0]();
  const own = tracksOf(group).map(({ track }) => track);
  const isClosed = closedGroups.has(name);
  return [
    action(`${isClosed ? 'Open' : 'Close'} ${name}`, 'group', () =>
      chooseWithUndo(timeline, `${name} ${isClosed ? 'opened' : 'closed'}`, {
        closedGroups: toggled(closedGroups, name),
      }),
    ),
    action(`Hide ${name}`, 'group', () =>
      withUndo(timeline, `${name} hidden`, hideTracks(timeline, own)),
    ),
    action(`Hide all but ${name}`, 'group', () =>
      withUndo(timeline, 'Other groups hidden', hideOthers(timeline, own)),
    ),
  ];
}

function ofTrack(timeline: Timeline, track: number, name: string, group: string): Command[] {
  const { hidden, pinned } = timeline.choices[0]();
  if (hidden.has(track)) {
    const show = () =>
      chooseWithUndo(timeline, `${name} shown`, { hidden: toggled(hidden, track) });
    return [action(`Show ${name}`, group, show)];
  }
  return [
    action(`${pinned.includes(track) ? 'Unpin' : 'Pin'} ${name}`, group, () =>
      togglePin(timeline, track),
    ),
    action(`Hide ${name}`, group, () =>
      withUndo(timeline, `${name} hidden`, hideTracks(timeline, [track])),
    ),
  ];
}
