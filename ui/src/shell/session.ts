/** What the shell knows about the sessions and the available analyses. */
import { createMemo, createRoot, createSignal } from 'solid-js';

import { shellQuote, truncateMiddle } from '../format/text';
import { urlOf } from '../wire/client';
import { createAnswer } from '../wire/report';
import { withUnchanged } from '../wire/unchanged';
import type { Group } from '../wire/generated/Group';
import type { AnalysisEntry, SessionsReport, SessionSummary } from '../wire/types';
import { FIRST_VIEW, isCalled, KEY, TIMELINE_VIEW } from './hash';
import { baseline, getParam, route, selectionParams, SQL_VIEW } from './state';
import { VIEWS } from './views';

/** The view that compares all sessions by device count. */
const SCALING_VIEW = 'scaling';

/** The view of figures over many runs. */
const HISTORY_VIEW = 'history';

/** Views that cover all sessions. */
const VIEWS_OF_ALL = [SCALING_VIEW, HISTORY_VIEW];

/** Views in the menu until the server has sent its list. */
const USUAL_ENTRIES: Pick<AnalysisEntry, 'name' | 'group' | 'summary' | 'aliases'>[] = [
  'overview',
  'verdict',
  'timeline',
  'steps',
].map((name) => ({ name, group: 'summary', summary: '', aliases: [] }));

/** The view of queries. */
const SQL_ENTRY: Pick<AnalysisEntry, 'name' | 'group' | 'summary' | 'aliases'> = {
  name: SQL_VIEW,
  group: 'summary',
  summary: 'Query this session, or all of them, in SQL',
  aliases: ['query', 'queries'],
};

/** The view of differences between sessions. */
export const COMPARE_VIEW = 'compare';

/** The view of budgets, and the budgets used until the user enters some. */
export const CHECK_VIEW = 'check';
export const USUAL_BUDGETS = 'step_time=+2%, memory_peak=+1%, compilation_count=+0';

export interface MenuEntry {
  name: string;
  title: string;
  summary: string;
  group: Group;
  /** Names of the same view in other programs. */
  aliases: readonly string[];
}

/** The session that the user asked to fetch completely, whatever the view reads. */
const [fetchedWhole, setFetchedWhole] = createSignal<string | null>(null);

/** Fetches the parts of the session that no view has read so far. */
export const fetchRest = () => setFetchedWhole(route.session);

export const { analyses, comparisons, sessions, opened, isEnough, menu, summaryOf } = createRoot(() => {
  const analyses = createAnswer<AnalysisEntry[]>(() => 'api/analyses');
  const comparisons = createAnswer<AnalysisEntry[]>(() => 'api/comparisons');
  const asked = createAnswer<SessionsReport>(() => 'api/sessions', false);
  // It is asked for again and again, and may list thousands.
  const list = createMemo<SessionsReport | undefined>((before) => {
    const now = asked.data();
    return now && withUnchanged(before, now);
  });
  const sessions = { ...asked, data: list };
  /** What the view reads of a remote session; undefined until the analyses are known. */
  const reads = createMemo((): 'devices' | 'everything' | undefined => {
    if (fetchedWhole() === route.session || analyses.error()) return 'everything';
    // Queries are answered by a program that reads files itself.
    if (route.view === SQL_VIEW) return 'devices';
    // Known without the list of analyses, which the first tile need not wait for.
    if (route.view === TIMELINE_VIEW) return 'everything';
    const entry = analyses.data()?.find(({ name }) => name === route.view);
    if (analyses.data() === undefined) return undefined;
    return entry?.reads_devices_only && !selectionParams().time ? 'devices' : 'everything';
  });
  /** The session of the URL; requesting it opens it. */
  const opened = createAnswer<SessionSummary>(() => {
    const wanted = reads();
    if (route.session === null || wanted === undefined) return null;
    return urlOf(`api/sessions/${route.session}`, wanted === 'devices' ? { reads: wanted } : {});
  }, false);
  /** Whether enough of the session was loaded for the view. */
  const isEnough = () => {
    const session = opened.data();
    if (session?.key !== route.session) return false;
    return session.state !== 'in_parts' || reads() === 'devices';
  };
  const sessionCount = () => sessions.data()?.sessions.length ?? 0;
  const hasHistory = () => (sessions.data()?.histories.length ?? 0) > 0;
  const menu = createMemo<MenuEntry[]>(() => {
    const known = [...(analyses.data() ?? USUAL_ENTRIES), ...(comparisons.data() ?? [])];
    return [...known, SQL_ENTRY]
      .filter((entry) => VIEWS.has(entry.name))
      // A single session has no scaling, and no history unless one was recorded.
      .filter((entry) => entry.name !== SCALING_VIEW || sessionCount() > 1)
      .filter((entry) => entry.name !== HISTORY_VIEW || sessionCount() > 1 || hasHistory())
      .map(({ name, summary, group, aliases }) => ({
        name,
        summary,
        group,
        aliases,
        title: titleOf(name),
      }));
  });
  const summaryOf = (key: string | null): SessionSummary | undefined => {
    const current = opened.data();
    if (current && current.key === key) return current;
    return sessions.data()?.sessions.find((session) => session.key === key);
  };
  return { analyses, comparisons, sessions, opened, isEnough, menu, summaryOf };
});

/** Sessions that can be compared: those with a trace that did not fail to open. */
export const comparable = (): SessionSummary[] =>
  (sessions.data()?.sessions ?? []).filter(
    ({ kind, state }) => kind.includes('trace') && state !== 'failed',
  );

/** Hosts from which on a session says something before all of it is known. */
const MANY_HOSTS = 64;

/** Whether a session has so many hosts that its answers take long. */
export function hasManyHosts(key: string | null): boolean {
  return (summaryOf(key)?.hosts.length ?? 0) >= MANY_HOSTS;
}

/** The view that opens first: memory snapshots and programs have nothing on a time axis. */
export function entryView(session: SessionSummary | undefined): string {
  if (session?.kind === 'programs') return 'buffers';
  return session?.kind === 'memory' ? 'heap' : FIRST_VIEW;
}

/** Turns `op_tree` into `Op tree`. */
export function titleOf(analysis: string): string {
  if (analysis === SQL_VIEW) return 'SQL';
  const words = analysis.replace(/_/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The command that prints what the page shows. Reactive. */
export function commandLine(): string {
  return commandWith((path) => shellQuote(path));
}

/** The same for display, with long paths shortened. */
export function shortCommandLine(): string {
  return commandWith((path) => truncateMiddle(path, baseline() === null ? 36 : 20));
}

/** The keys of the other sessions in a comparison of more than two. Reactive. */
export function otherSessions(): string[] {
  if (route.view !== COMPARE_VIEW) return [];
  return (getParam('also') ?? '')
    .split(',')
    .filter((key) => KEY.test(key) && key !== route.session && key !== baseline());
}

/** The key of the session whose location matches a name in a report about all sessions. */
export function sessionCalled(name: string): string | undefined {
  return sessions.data()?.sessions.find(({ location }) => isCalled(location, name))?.key;
}

/** A session without a file, such as the demo, has no path. */
function locationOf(session: string | null): string {
  const root = sessions.data()?.root || 'PATH';
  return session === null ? root : summaryOf(session)?.location || root;
}

function commandWith(shown: (path: string) => string): string {
  const { session, view } = route;
  if (view === SQL_VIEW) {
    const query = getParam('query');
    const words = ['stepscope', view, shown(locationOf(session))];
    return [...words, ...(query ? [shellQuote(query)] : [])].join(' ');
  }
  if (session === null) return ['stepscope', view, shown(locationOf(null))].join(' ');
  if (view === CHECK_VIEW) return checkWith(shown, session);
  const history = view === HISTORY_VIEW ? getParam('history') : undefined;
  if (history !== undefined) {
    const folder = locationOf(null).replace(/\/+$/, '');
    return ['stepscope', view, shown(`${folder}/${history}`)].join(' ');
  }
  const isOfAll = VIEWS_OF_ALL.includes(view);
  const against = isOfAll ? null : baseline();
  // With a baseline the page shows what changed, and so does the command.
  const verb = against === null ? view : COMPARE_VIEW;
  const ids = against === null ? [session] : [against, session, ...otherSessions()];
  const places = isOfAll ? [null] : ids;
  const words = ['stepscope', verb, ...places.map((id) => shown(locationOf(id)))];
  for (const [name, value] of Object.entries({ ...ownOptions(verb), ...selectionParams() })) {
    // A flag takes no value.
    words.push(`--${name}`, ...(value === 'true' ? [] : [shellQuote(value)]));
  }
  return words.join(' ');
}

/** The session to check comes first; its baseline is an option. */
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

/** URL parameters that are options of the command. */
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
