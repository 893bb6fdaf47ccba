/**
 * Keeps the URL and the timeline in sync, both ways. Changes that belong together become one history
 * entry, and so does moving quickly from slice to slice.
 */
import { createEffect, createSignal, on, onCleanup } from 'solid-js';

import { shared } from '../../shell/shared';
import { getParam, setParams } from '../../shell/state';
import {
  formatArea,
  formatClosed,
  formatRange,
  formatSliceRef,
  formatTop,
  parseArea,
  parseClosed,
  parseNames,
  parseRange,
  parseSliceRef,
  parseTop,
  parseTracks,
} from '../../timeline/address';
import { clockKindOf } from '../../timeline/clock';
import { formatCounters, parseCounters } from '../../timeline/counter-scale';
import { colorByOf } from '../../timeline/coloring';
import type { Commands } from '../../timeline/commands';
import { filterPattern, firstClosed, type LayoutChoices } from '../../timeline/layout';
import { formatMarks, parseMarks } from '../../timeline/marks';
import { formatOverlay, parseOverlay } from '../../timeline/overlay';
import { stepSelection } from '../../timeline/step-selection';
import type { Timeline } from '../../timeline/timeline';
import { fitRange, type TimeWindow } from '../../timeline/viewport';
import type { TimelineReport } from '../../wire/generated/TimelineReport';

/** Moving from slice to slice faster than this adds only one history entry. */
const BURST_MS = 700;
/** The scroll position is written when it has rested this long. */
const REST_MS = 150;

const COMPACT = 'compact';

/** The choices about rows in the URL. */
export function initialChoices(report: TimelineReport): Partial<LayoutChoices> {
  return {
    pinned: parseTracks(getParam('pin')),
    trackOrder: parseTracks(getParam('order')),
    groupOrder: parseNames(getParam('groups')),
    isCompact: getParam('rows') === COMPACT,
    hidden: new Set(parseTracks(getParam('hide'))),
    toggledFolds: new Set(parseTracks(getParam('fold'))),
    closedGroups: parseClosed(getParam('closed'), firstClosed(report)),
    filter: filterPattern(getParam('tracks') ?? ''),
    filterText: getParam('tracks') ?? '',
    counters: parseCounters(report, getParam('counters') ?? ''),
  };
}

/** The window that the URL asks for; null for the usual one. */
export function firstWindow(timeline: Timeline): TimeWindow | null {
  return parseRange(getParam('window') ?? '') ?? selectedSteps(timeline);
}

/** Follows the URL and updates it, as long as the calling component lives. */
export function followAddress(timeline: Timeline, commands: Commands): void {
  const writer = new Writer();
  onCleanup(() => writer.flush());
  followWindow(timeline, writer);
  followSlice(timeline, commands, writer);
  followParam('area', writer, {
    read: () => {
      const area = timeline.area[0]();
      return area ? formatArea(area) : '';
    },
    apply: (text) => timeline.setArea(parseArea(text)),
    isStep: true,
  });
  followParam('marks', writer, {
    read: () => formatMarks(timeline.marks[0]()),
    apply: (text) => timeline.setMarks(parseMarks(text)),
    isStep: false,
  });
  followParam('search', writer, {
    read: () => timeline.search.state().query,
    apply: (text) => timeline.setQuery(text),
    isStep: false,
  });
  // Where a link leads; scrolling does not change it.
  followParam('at', writer, {
    read: () => '',
    apply: (place) => timeline.rows.revealPlace(place),
    isStep: false,
  });
  followParam('cause', writer, {
    read: () => '',
    apply: (text) => {
      const area = timeline.area[0]();
      if (!text || !area) return;
      // The slice takes its place; Back must not look for it again.
      setParams({ cause: null }, true);
      void commands.showCause(text, area, getParam('at') ?? '');
    },
    isStep: false,
  });
  followParam('ruler', writer, {
    read: timeline.stepPlace[0],
    apply: (name) => timeline.showStepsOf(name),
    isStep: false,
  });
  followParam('clock', writer, {
    read: () => {
      const { kind } = timeline.times.clock[0]();
      return kind === 'session' ? '' : kind;
    },
    apply: (text) => timeline.times.readAs(clockKindOf(text, timeline.scene.clock)),
    isStep: false,
  });
  // A single-file report has no critical path: a server computes it.
  if (!shared()) {
    followParam('path', writer, {
      read: () => (timeline.isPathShown[0]() ? '1' : ''),
      apply: (text) => timeline.showPath(text === '1'),
      isStep: false,
    });
  }
  createEffect(() => timeline.setSelectedSteps(stepSelection(getParam('steps') ?? '')));
  // The pattern selected in all views is searched for, unless there is another search.
  createEffect(
    on(
      () => getParam('match'),
      (match) => match && !timeline.search.state().query && timeline.setQuery(match),
    ),
  );
  const rows = (name: string, read: () => Iterable<number>, key: keyof LayoutChoices) =>
    followParam(name, writer, {
      read: () => [...read()].join(','),
      apply: (text) => {
        const tracks = parseTracks(text);
        const isOrdered = key === 'pinned' || key === 'trackOrder';
        timeline.choose({ [key]: isOrdered ? tracks : new Set(tracks) });
      },
      isStep: false,
    });
  const choices = timeline.choices[0];
  rows('pin', () => choices().pinned, 'pinned');
  rows('order', () => choices().trackOrder, 'trackOrder');
  followParam('groups', writer, {
    read: () => choices().groupOrder.join(';'),
    apply: (text) => timeline.choose({ groupOrder: parseNames(text) }),
    isStep: false,
  });
  followParam('rows', writer, {
    read: () => (choices().isCompact ? COMPACT : ''),
    apply: (text) => timeline.choose({ isCompact: text === COMPACT }),
    isStep: false,
  });
  followParam('only', writer, {
    read: () => String(timeline.times.onlyStep[0]() ?? ''),
    apply: (text) => timeline.times.showOnlyStep(/^\d{1,15}$/.test(text) ? Number(text) : null),
    isStep: true,
  });
  followParam('over', writer, {
    read: () => formatOverlay(timeline.times.overlay[0]()),
    apply: (text) => timeline.times.overlay[1](parseOverlay(text)),
    isStep: true,
  });
  rows('hide', () => choices().hidden, 'hidden');
  rows('fold', () => choices().toggledFolds, 'toggledFolds');
  followParam('counters', writer, {
    read: () => formatCounters(timeline.report, choices().counters),
    apply: (text) => timeline.choose({ counters: parseCounters(timeline.report, text) }),
    isStep: false,
  });
  followParam('tracks', writer, {
    read: () => choices().filterText,
    apply: (text) => timeline.choose({ filter: filterPattern(text), filterText: text }),
    isStep: false,
  });
  followParam('top', writer, {
    read: createRest(() => formatTop(timeline.rows.top())),
    apply: (text) => {
      const place = getParam('at');
      if (!text && place) timeline.rows.revealPlace(place);
      else timeline.rows.showTop(parseTop(text));
    },
    isStep: false,
  });
  const closedFirst = firstClosed(timeline.report);
  followParam('color', writer, {
    read: () => {
      const { by, only } = timeline.coloring[0]();
      return by === 'class' && !only ? '' : [by, ...(only ?? [])].join(';');
    },
    apply: (text) => {
      const [by, ...only] = text.split(';');
      timeline.color(colorByOf(by ?? ''), only.length > 0 ? new Set(only) : null);
    },
    isStep: false,
  });
  followParam('closed', writer, {
    read: () => formatClosed(choices().closedGroups, closedFirst),
    apply: (text) => timeline.choose({ closedGroups: parseClosed(text, closedFirst) }),
    isStep: false,
  });
}

function followWindow(timeline: Timeline, writer: Writer): void {
  const home = formatRange(timeline.home);
  const textOf = (window: TimeWindow) => (formatRange(window) === home ? '' : formatRange(window));
  timeline.onWindow = (window, change) => writer.set('window', textOf(window), change === 'jump');
  let isFirst = true;
  createEffect(
    on(
      () => getParam('window') ?? '',
      (text) => {
        if (!isFirst && text === writer.known('window')) return;
        writer.note('window', text);
        const wanted = isFirst ? firstWindow(timeline) : parseRange(text);
        timeline.adopt(wanted, !isFirst);
        isFirst = false;
      },
    ),
  );
}

function followSlice(timeline: Timeline, commands: Commands, writer: Writer): void {
  let isFirst = true;
  followParam('slice', writer, {
    read: () => {
      const selection = timeline.selection[0]();
      return selection ? formatSliceRef(selection.ref) : '';
    },
    apply: (text) => {
      const ref = parseSliceRef(text);
      // A link without a window leads to the slice.
      if (ref && isFirst && !getParam('window')) void commands.goTo(ref);
      else void timeline.select(ref).then(() => ref && timeline.revealTrack(ref.track, ref.lane));
      isFirst = false;
    },
    isStep: true,
  });
}

/** A value once it has not changed for a moment: scrolling must not write to the URL in every frame. */
function createRest(read: () => string): () => string {
  const [rest, setRest] = createSignal(read());
  let timer: ReturnType<typeof setTimeout> | undefined;
  createEffect(
    on(
      read,
      (text) => {
        clearTimeout(timer);
        timer = setTimeout(() => setRest(text), REST_MS);
      },
      { defer: true },
    ),
  );
  onCleanup(() => clearTimeout(timer));
  return rest;
}

interface Binding {
  read: () => string;
  apply: (text: string) => void;
  /** Whether a change adds a history entry. */
  isStep: boolean;
}

function followParam(name: string, writer: Writer, binding: Binding): void {
  const first = getParam(name) ?? '';
  writer.note(name, first);
  if (first !== binding.read()) binding.apply(first);
  createEffect(
    on(
      () => getParam(name) ?? '',
      (text) => {
        if (text === writer.known(name)) return;
        writer.note(name, text);
        binding.apply(text);
      },
      { defer: true },
    ),
  );
  createEffect(on(binding.read, (text) => writer.set(name, text, binding.isStep), { defer: true }));
}

/** Collects changes of one moment and writes them together. */
class Writer {
  private readonly last = new Map<string, string>();
  private changes: Record<string, string> = {};
  private isStep = false;
  private isQueued = false;
  private steppedMs = -Infinity;

  known(name: string): string {
    return this.last.get(name) ?? '';
  }

  note(name: string, text: string): void {
    this.last.set(name, text);
    delete this.changes[name];
  }

  set(name: string, text: string, isStep: boolean): void {
    const before = this.known(name);
    if (before === text) return;
    this.last.set(name, text);
    this.changes[name] = text;
    if (isStep) {
      // Setting or clearing a value adds an entry; moving quickly from one value to the next does not.
      const isWalk = before !== '' && text !== '';
      const isBurst = performance.now() - this.steppedMs < BURST_MS;
      if (!isWalk || !isBurst) this.isStep = true;
      this.steppedMs = performance.now();
    }
    if (this.isQueued) return;
    this.isQueued = true;
    queueMicrotask(() => this.flush());
  }

  flush(): void {
    this.isQueued = false;
    if (Object.keys(this.changes).length === 0) return;
    const { changes, isStep } = this;
    this.changes = {};
    this.isStep = false;
    setParams(changes, !isStep);
  }
}

/** The window of the steps selected in all views; null without any. */
function selectedSteps(timeline: Timeline): TimeWindow | null {
  const isSelected = stepSelection(getParam('steps') ?? '');
  const steps = timeline.scene.steps.filter((step) => isSelected?.(step.step));
  const first = steps[0];
  const last = steps.at(-1);
  if (!first || !last) return null;
  const { limits } = timeline.scene.viewport;
  return fitRange(first.start_ps, last.start_ps + last.duration_ps, limits, 0.04);
}
