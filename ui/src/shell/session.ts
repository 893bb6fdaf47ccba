/** What the shell knows of the sessions and of the analyses there are. */
import { createMemo, createRoot, createSignal } from 'solid-js';

import { shellQuote, truncateMiddle } from '../format/text';
import { urlOf } from '../wire/client';
import { createAnswer } from '../wire/report';
import type { Group } from '../wire/generated/Group';
import type { AnalysisEntry, SessionsReport, SessionSummary } from '../wire/types';
import { FIRST_VIEW, KEY } from './hash';
import { baseline, getParam, route, selectionParams } from './state';
import { VIEWS } from './views';

/** The view of all sessions by their device counts. */
const SCALING_VIEW = 'scaling';

/** The view of figures over many runs. */
const HISTORY_VIEW = 'history';

/** Views that are of every session there. */
const VIEWS_OF_ALL = [SCALING_VIEW, HISTORY_VIEW];

/** Views in the menu until the server has told its own. */
const USUAL_ENTRIES: Pick<AnalysisEntry, 'name' | 'group' | 'summary'>[] = [
  'overview',
  'verdict',
  'timeline',
  'steps',
].map((name) => ({ name, group: 'summary', summary: '' }));

/** The view of differences between sessions. */
export const COMPARE_VIEW = 'compare';

/** The view of budgets, and those of someone who has given none yet. */
export const CHECK_VIEW = 'check';
export const USUAL_BUDGETS = 'step_time=+2%, memory_peak=+1%, compilation_count=+0';

export interface MenuEntry {
  name: string;
  title: string;
  summary: string;
  group: Group;
}

/** The session of which a person asked for everything, whatever the view reads. */
const [fetchedWhole, setFetchedWhole] = createSignal<string | null>(null);

/** Fetches what the views of the session so far did not read. */
export const fetchRest = () => setFetchedWhole(route.session);

export const { analyses, comparisons, sessions, opened, isEnough, menu, summaryOf } = createRoot(() => {
  const analyses = createAnswer<AnalysisEntry[]>(() => 'api/analyses');
  const comparisons = createAnswer<AnalysisEntry[]>(() => 'api/comparisons');
  const sessions = createAnswer<SessionsReport>(() => 'api/sessions', false);
  /** What the view reads of a session that is far away; unknown until the analyses are. */
  const reads = createMemo((): 'devices' | 'everything' | undefined => {
    if (fetchedWhole() === route.session || analyses.error()) return 'everything';
    const entry = analyses.data()?.find(({ name }) => name === route.view);
    if (analyses.data() === undefined) return undefined;
    return entry?.reads_devices_only && !selectionParams().time ? 'devices' : 'everything';
  });
  /** The session of the URL, opened by asking for it. */
  const opened = createAnswer<SessionSummary>(() => {
    const wanted = reads();
    if (route.session === null || wanted === undefined) return null;
    return urlOf(`api/sessions/${route.session}`, wanted === 'devices' ? { reads: wanted } : {});
  }, false);
  /** Whether what is here of the session is enough for the view. */
  const isEnough = () => {
    const session = opened.data();
    if (session?.key !== route.session) return false;
    return session.state !== 'in_parts' || reads() === 'devices';
  };
  const sessionCount = () => sessions.data()?.sessions.length ?? 0;
  const hasHistory = () => (sessions.data()?.histories.length ?? 0) > 0;
  const menu = createMemo<MenuEntry[]>(() => {
    const entries = [...(analyses.data() ?? USUAL_ENTRIES), ...(comparisons.data() ?? [])];
    return entries
      .filter((entry) => VIEWS.has(entry.name))
      // Of one session alone there is no scaling to see, and no history unless one was recorded.
      .filter((entry) => entry.name !== SCALING_VIEW || sessionCount() > 1)
      .filter((entry) => entry.name !== HISTORY_VIEW || sessionCount() > 1 || hasHistory())
      .map(({ name, summary, group }) => ({ name, summary, group, title: titleOf(name) }));
  });
  const summaryOf = (key: string | null): SessionSummary | undefined => {
    const current = opened.data();
    if (current && current.key === key) return current;
    return sessions.data()?.sessions.find((session) => session.key === key);
  };
  return { analyses, comparisons, sessions, opened, isEnough, menu, summaryOf };
});

/** Where a session is entered: memory snapshots and programs have nothing that happens in time. */
export function entryView(session: SessionSummary | undefined): string {
  if (session?.kind === 'programs') return 'buffers';
  return session?.kind === 'memory' ? 'heap' : FIRST_VIEW;
}

/** `op_tree` is `Op tree`. */
export function titleOf(analysis: string): string {
  const words = analysis.replace(/_/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The command that prints what the page shows. Reactive. */
export function commandLine(): string {
  return commandWith((path) => shellQuote(path));
}

/** The same with its paths cut to what fits, to look at. */
export function shortCommandLine(): string {
  return commandWith((path) => truncateMiddle(path, baseline() === null ? 36 : 20));
}

/** Other sessions of a comparison of more than two, by their keys. Reactive. */
export function otherSessions(): string[] {
  if (route.view !== COMPARE_VIEW) return [];
  return (getParam('also') ?? '')
    .split(',')
    .filter((key) => KEY.test(key) && key !== route.session && key !== baseline());
}

/** The key of the session that lies where a name in a report about all sessions says. */
export function sessionCalled(name: string): string | undefined {
  const found = sessions.data()?.sessions.find(({ location }) => {
    const parts = location
      .split('/')
      .filter((part) => !['', '.', 'plugins', 'profile'].includes(part));
    return `/${parts.join('/')}`.endsWith(`/${name}`);
  });
  return found?.key;
}

/** A session that lies in no file, such as the demo, has no path. */
function locationOf(session: string | null): string {
  const root = sessions.data()?.root || 'PATH';
  return session === null ? root : summaryOf(session)?.location || root;
}

function commandWith(shown: (path: string) => string): string {
  const { session, view } = route;
  if (session === null) return ['stepscope', view, shown(locationOf(null))].join(' ');
  if (view === CHECK_VIEW) return checkWith(shown, session);
  const history = view === HISTORY_VIEW ? getParam('history') : undefined;
  if (history !== undefined) {
    const folder = locationOf(null).replace(/\/+$/, '');
    return ['stepscope', view, shown(`${folder}/${history}`)].join(' ');
  }
  const isOfAll = VIEWS_OF_ALL.includes(view);
  const against = isOfAll ? null : baseline();
  // With a baseline the page shows what changed, and so does this.
  const verb = against === null ? view : COMPARE_VIEW;
  const ids = against === null ? [session] : [against, session, ...otherSessions()];
  const places = isOfAll ? [null] : ids;
  const words = ['stepscope', verb, ...places.map((id) => shown(locationOf(id)))];
  for (const [name, value] of Object.entries({ ...ownOptions(verb), ...selectionParams() })) {
    // A flag stands alone.
    words.push(`--${name}`, ...(value === 'true' ? [] : [shellQuote(value)]));
  }
  return words.join(' ');
}

/** The session that is checked comes first, its baseline as an option. */
function checkWith(shown: (path: string) => string, session: string): string {
  const against = baseline();
  const words = ['stepscope', CHECK_VIEW, shown(locationOf(session))];
  if (against !== null) words.push('--baseline', shown(locationOf(against)));
  const { steps, time, device, host } = selectionParams();
  const options = { budget: getParam('budget') ?? USUAL_BUDGETS, steps, time, device, host };
  for (const [name, value] of Object.entries(options)) {
    if (value) words.push(`--${name}`, shellQuote(value));
  }
  return words.join(' ');
}

/** Columns that only the page has; the command line cannot sort by them. */
const PAGE_ONLY = new Set(['busy_ratio', 'total_ratio', 'parts', 'phases']);

/** Parameters of the URL that are options of what the command asks. */
function ownOptions(verb: string): Record<string, string> {
  const entries = [...(analyses.data() ?? []), ...(comparisons.data() ?? [])];
  const entry = entries.find((each) => each.name === verb);
  const found: Record<string, string> = {};
  if (verb !== route.view) return found;
  for (const option of entry?.options ?? []) {
    const value = getParam(option.name);
    if (value && !(option.name === 'sort' && PAGE_ONLY.has(value.replace(/^-/, '')))) {
      found[option.name] = value;
    }
  }
  return found;
}
