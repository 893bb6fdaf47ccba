/** Menus of the timeline: of a slice, a track, a group, a gap, and of the empty canvas. */
import { CAUSES, meaningOf } from '../../format/causes';
import { formatDuration, plural } from '../../format/numbers';
import { classTitle } from '../../format/palette';
import { escapeRegex } from '../../format/text';
import { shared } from '../../shell/shared';
import { menu as views } from '../../shell/session';
import { navigate, select, type Params } from '../../shell/state';
import { clockChoices } from '../../timeline/clock';
import {
  canBeLog,
  countersCalled,
  withCounter,
  type CounterChoice,
} from '../../timeline/counter-scale';
import type { ColorBy } from '../../timeline/coloring';
import type { Commands } from '../../timeline/commands';
import { hideOthers, shownBy } from '../../timeline/hide-others';
import { hitSlice, hitStep, rowUnder } from '../../timeline/hit';
import { hitGap } from '../../timeline/idle-gaps';
import { hostSectionsOf, namesOfAllGroups } from '../../timeline/host-sections';
import { isFoldable, tracksOf, type GroupRow, type Row, type TrackRow } from '../../timeline/layout';
import {
  hideTracks,
  positionOf,
  siblingsOf,
  stepRow,
  toggleCompact,
  togglePin,
} from '../../timeline/row-commands';
import { programId } from '../../timeline/program-id';
import type { Hit } from '../../timeline/scene';
import { toggled } from '../../timeline/sets';
import { stepIndexAt } from '../../timeline/step-index';
import type { Timeline } from '../../timeline/timeline';
import { titleOfTrack } from '../../timeline/track-title';
import { copyText } from '../../widgets/copy';
import type { MenuEntry } from '../../widgets/menu/menu';
import { showToast } from '../../widgets/toast';
import type { TimelineStep } from '../../wire/generated/TimelineStep';
import { chooseWithUndo, withUndo } from './undo';

/** The menu of a point of the canvas. */
export function canvasMenu(
  timeline: Timeline,
  commands: Commands,
  point: { x: number; y: number },
): MenuEntry[] {
  const { scene } = timeline;
  const row = rowUnder(scene, point.y);
  if (!row) {
    const step = hitStep(scene, point.x, point.y);
    return [
      ...(step ? stepMenu(timeline, commands, step) : []),
      'separator',
      ...viewMenu(timeline, commands),
      'separator',
      ...clockMenu(timeline),
    ];
  }
  const hit = hitSlice(scene, point.x, point.y);
  const gap = hit ? null : hitGap(scene, row, point.x, point.y);
  const gapMenu: MenuEntry[] = gap
    ? [
        { heading: `${gap.device} idle: ${meaningOf(CAUSES, gap.cause).title}` },
        { title: 'Select the gap', run: () => commands.selectGap(gap) },
        {
          title: 'Zoom to it',
          run: () =>
            commands.zoomTo({ startPs: gap.start_ps, endPs: gap.start_ps + gap.duration_ps }),
        },
        ...(gap.what
          ? [{ title: 'Find all', detail: gap.what, run: () => findAll(timeline, gap.what) }]
          : []),
      ]
    : [];
  const ofRow = row.kind === 'track' ? trackMenu(timeline, row) : groupMenu(timeline, row);
  return [
    ...(hit ? sliceMenu(timeline, commands, hit) : gapMenu),
    'separator',
    ...ofRow,
    'separator',
    ...viewMenu(timeline, commands),
  ];
}

function sliceMenu(timeline: Timeline, commands: Commands, hit: Hit): MenuEntry[] {
  const range = { startPs: hit.startPs, endPs: hit.startPs + hit.durationPs };
  const zoom = { title: 'Zoom to it', keys: 'double click', run: () => commands.zoomTo(range) };
  const area = {
    title: 'Select this time on all tracks',
    keys: 'r',
    run: () => timeline.setArea({ ...range, tracks: null }),
  };
  if (hit.count > 1) {
    return [{ heading: plural(hit.count, 'slice') }, zoom, area];
  }
  const { labels } = timeline.scene;
  const name = labels.name(hit.label);
  const { steps } = timeline.scene;
  const step = steps[stepIndexAt(steps, hit.startPs)];
  const to = (view: string, params: (op: string, program: string) => Params) => ({
    title: `Show in ${view === 'ops' ? 'Ops' : 'Graph'}`,
    run: () => void showOp(timeline, hit, view, params),
  });
  return [
    { heading: labels.shortOf(name) },
    {
      title: 'Select',
      keys: 'click',
      run: () => void timeline.select(hit.ref, hit),
    },
    zoom,
    area,
    {
      title: 'Mark with a text',
      run: () => commands.describe(range, hit.ref.track),
    },
    { title: 'Find all', run: () => findAll(timeline, name) },
    ...(has('ops')
      ? [to('ops', (op, program) => ({ op: [program, op, ''].join('/'), q: op }))]
      : []),
    ...(has('graph') && !shared() ? [to('graph', (op, program) => ({ program, op }))] : []),
    {
      title: 'Only this class',
      detail: classTitle(timeline.scene.labels.className(hit.label)),
      run: () => void isolate(timeline, 'class', hit.label),
    },
    ...(shared()
      ? []
      : [
          { title: 'Only this scope', run: () => void isolate(timeline, 'scope', hit.label) },
          { title: 'Only this program', run: () => void isolate(timeline, 'program', hit.label) },
        ]),
    ...(step ? [onlyStepEntry(timeline, step.step)] : []),
    { title: 'Copy name', run: () => void copyText(name) },
    {
      title: 'Copy duration',
      detail: formatDuration(hit.durationPs),
      run: () => void copyText(formatDuration(hit.durationPs)),
    },
  ];
}

/** The menu of a track, on its name and on its row. */
export function trackMenu(timeline: Timeline, row: TrackRow): MenuEntry[] {
  const { track } = row.track;
  const { pinned, toggledFolds } = timeline.choices[0]();
  const own = shownBy(row);
  return [
    { heading: titleOfTrack(row.track) },
    ...(isFoldable(row.track)
      ? [
          {
            title: row.isFolded ? 'Unfold' : 'Fold',
            run: () => timeline.choose({ toggledFolds: toggled(toggledFolds, track) }),
          },
        ]
      : []),
    ...counterMenu(timeline, row),
    {
      title: 'Pinned to the top',
      isChecked: pinned.includes(track),
      run: () => togglePin(timeline, track),
    },
    ...orderMenu(timeline, row),
    {
      title: 'Hide',
      run: () => withUndo(timeline, `${titleOfTrack(row.track)} hidden`, hideTracks(timeline, [track])),
    },
    {
      title: 'Hide others',
      run: () => withUndo(timeline, 'Other tracks hidden', hideOthers(timeline, own)),
    },
    { title: 'Copy name of the track', run: () => void copyText(row.track.name) },
  ];
}

/** Moves a row, or all rows back to where they were. */
function orderMenu(timeline: Timeline, row: Row): MenuEntry[] {
  const { trackOrder, groupOrder } = timeline.choices[0]();
  const name = row.kind === 'group' ? row.group.name : row.track.name;
  const siblings = siblingsOf(timeline, row);
  const position = positionOf(siblings, row);
  const move = (direction: 1 | -1) => {
    const before = stepRow(timeline, row, direction);
    if (before) withUndo(timeline, `${name} moved`, before);
  };
  return [
    {
      title: 'Move up',
      keys: 'Alt+ArrowUp',
      isDisabled: position <= 0,
      run: () => move(-1),
    },
    {
      title: 'Move down',
      keys: 'Alt+ArrowDown',
      isDisabled: position === siblings.length - 1,
      run: () => move(1),
    },
    ...(trackOrder.length + groupOrder.length > 0
      ? [
          {
            title: 'Usual order of all rows',
            run: () =>
              chooseWithUndo(timeline, 'Rows in their usual order', {
                trackOrder: [],
                groupOrder: [],
              }),
          },
        ]
      : []),
  ];
}

/** The scale of a counter and of all others of its name. */
function counterMenu(timeline: Timeline, row: TrackRow): MenuEntry[] {
  const { scale, track } = row;
  if (!scale) return [];
  const alike = countersCalled(timeline.report, track.name).length;
  const { counters } = timeline.choices[0]();
  const change = (changes: Partial<CounterChoice>) =>
    timeline.choose({ counters: withCounter(counters, track.name, changes) });
  const isPossible = canBeLog(track);
  return [
    {
      title: 'Logarithmic scale',
      detail: isPossible ? undefined : 'not all values are positive',
      isChecked: scale.isLog,
      isDisabled: !isPossible,
      run: () => change({ isLog: !scale.isLog }),
    },
    ...(alike > 1
      ? [
          {
            title: 'Shared scale',
            detail: `${alike} counters`,
            isChecked: scale.isShared,
            run: () => change({ isShared: !scale.isShared }),
          },
        ]
      : []),
  ];
}

/** The menu of a group, on its name and on its strip. */
export function groupMenu(timeline: Timeline, row: GroupRow): MenuEntry[] {
  const { closedGroups } = timeline.choices[0]();
  const { name } = row.group;
  const own = tracksOf(row.group).map((track) => track.track);
  const section = hostSectionsOf(timeline.report).get(row.group)?.name;
  const others = namesOfAllGroups(timeline.report).filter(
    (one) => one !== name && one !== section,
  );
  return [
    { heading: name },
    {
      title: row.isClosed ? 'Open' : 'Close',
      run: () =>
        chooseWithUndo(timeline, `${name} ${row.isClosed ? 'opened' : 'closed'}`, {
          closedGroups: toggled(closedGroups, name),
        }),
    },
    {
      title: 'Close others',
      run: () =>
        chooseWithUndo(timeline, 'Other groups closed', { closedGroups: new Set(others) }),
    },
    ...orderMenu(timeline, row),
    {
      title: 'Hide',
      run: () => withUndo(timeline, `${name} hidden`, hideTracks(timeline, own)),
    },
    {
      title: 'Hide others',
      run: () => withUndo(timeline, 'Other groups hidden', hideOthers(timeline, own)),
    },
  ];
}

function viewMenu(timeline: Timeline, commands: Commands): MenuEntry[] {
  const hidden = timeline.choices[0]().hidden.size;
  return [
    { heading: 'Timeline' },
    { title: 'Show the whole session', keys: '0', run: () => commands.reset() },
    {
      title: 'Compact rows',
      keys: 'h',
      isChecked: timeline.choices[0]().isCompact,
      run: () => toggleCompact(timeline),
    },
    {
      title: 'Mark this time',
      keys: 'Shift+m',
      run: () => commands.mark(true),
    },
    {
      title: 'Mark this time with a text',
      keys: 't',
      run: () => commands.describe(),
    },
    ...(hidden > 0
      ? [
          {
            title: 'Show hidden tracks',
            detail: String(hidden),
            run: () => chooseWithUndo(timeline, 'All tracks shown', { hidden: new Set() }),
          },
        ]
      : []),
  ];
}

/** The menu of a step on the ruler. */
function stepMenu(timeline: Timeline, commands: Commands, step: TimelineStep): MenuEntry[] {
  const range = { startPs: step.start_ps, endPs: step.start_ps + step.duration_ps };
  return [
    { heading: `Step ${step.step} · ${formatDuration(step.duration_ps)}` },
    {
      title: 'Select',
      keys: 'click',
      run: () => timeline.setArea({ ...range, tracks: null }),
    },
    { title: 'Zoom to it', keys: 'double click', run: () => commands.zoomTo(range) },
    onlyStepEntry(timeline, step.step),
    ...(shared()
      ? []
      : [{ title: 'Select in all views', run: () => select('steps', String(step.step)) }]),
    ...overlayMenu(timeline, commands, step),
  ];
}

/** Lays another step over this one. */
function overlayMenu(timeline: Timeline, commands: Commands, step: TimelineStep): MenuEntry[] {
  return [{ heading: 'Lay another step over it' }, ...laidOver(timeline, commands, step)];
}

/** The steps to lay over a step: the window then shows both to their ends. */
export function laidOver(timeline: Timeline, commands: Commands, step: TimelineStep) {
  const { steps } = timeline.scene;
  const at = steps.indexOf(step);
  const lay = (title: string, other: TimelineStep | undefined, isBaseline = false) => {
    if (!other || (other === step && !isBaseline)) return [];
    const run = () => {
      timeline.times.overlay[1]({ own: step.step, other: other.step, isBaseline });
      const longestPs = Math.max(step.duration_ps, other.duration_ps);
      commands.zoomTo({ startPs: step.start_ps, endPs: step.start_ps + longestPs });
    };
    return [{ title, detail: `${other.step} · ${formatDuration(other.duration_ps)}`, run }];
  };
  const byDuration = [...steps].sort((one, other) => one.duration_ps - other.duration_ps);
  const ofBaseline = timeline.times.baselineSteps();
  return [
    ...lay('Previous step', steps[at - 1]),
    ...lay('Next step', steps[at + 1]),
    ...lay('Shortest step', byDuration[0]),
    ...lay('Longest step', byDuration.at(-1)),
    ...lay(
      'Step of the baseline',
      ofBaseline.find((other) => other.step === step.step) ?? ofBaseline[at] ?? ofBaseline[0],
      true,
    ),
  ];
}

/** Dims every other step. */
function onlyStepEntry(timeline: Timeline, step: number): MenuEntry {
  const isOnly = timeline.times.onlyStep[0]() === step;
  return {
    title: 'Only this step',
    detail: String(step),
    isChecked: isOnly,
    run: () => timeline.times.showOnlyStep(isOnly ? null : step),
  };
}

/** How times read. */
function clockMenu(timeline: Timeline): MenuEntry[] {
  const clock = timeline.times.clock[0]();
  return [
    { heading: 'Times' },
    ...clockChoices(clock).map(({ kind, title, missing }) => ({
      title: title.charAt(0).toUpperCase() + title.slice(1),
      detail: missing,
      isChecked: clock.kind === kind,
      isDisabled: missing !== '',
      run: () => timeline.times.readAs(kind),
    })),
  ];
}

function findAll(timeline: Timeline, name: string): void {
  timeline.setQuery(`^${escapeRegex(name)}$`);
}

async function showOp(
  timeline: Timeline,
  hit: Hit,
  view: string,
  params: (op: string, program: string) => Params,
): Promise<void> {
  const details = await timeline.api.slice(hit.ref).catch(() => null);
  if (!details?.op) {
    showToast({ text: 'This slice is not an op of a program' });
    return;
  }
  navigate({ view, params: params(details.op, programId(details.program) ?? '') });
}

/** Dims every slice on all tracks that has another class, scope or program. */
async function isolate(timeline: Timeline, by: ColorBy, label: number): Promise<void> {
  const before = timeline.coloring[0]();
  await timeline.scene.labels.setColoring(by, null);
  const key = timeline.scene.labels.keyOf(by, label);
  if (key) return timeline.color(by, new Set([key]));
  timeline.color(before.by, before.only);
  showToast({ text: `The ${by} of this slice is unknown` });
}

function has(view: string): boolean {
  return views().some((entry) => entry.name === view);
}
