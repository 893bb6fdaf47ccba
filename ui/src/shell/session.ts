/** What the shell knows of the sessions and of the analyses there are. */
import { createMemo, createRoot } from 'solid-js';

import { shellQuote, truncateMiddle } from '../format/text';
import { createAnswer } from '../wire/report';
import type { Group } from '../wire/generated/Group';
import type { AnalysisEntry, SessionsReport, SessionSummary } from '../wire/types';
import { FIRST_VIEW } from './hash';
import { getParam, route, selectionParams } from './state';
import { VIEWS } from './views';

/** Views in the menu until the server has told its own. */
const USUAL_ENTRIES: Pick<AnalysisEntry, 'name' | 'group' | 'summary'>[] = [
  'overview',
  'verdict',
  'timeline',
  'steps',
].map((name) => ({ name, group: 'summary', summary: '' }));

export interface MenuEntry {
  name: string;
  title: string;
  summary: string;
  group: Group;
}

export const { analyses, sessions, opened, menu, summaryOf } = createRoot(() => {
  const analyses = createAnswer<AnalysisEntry[]>(() => 'api/analyses');
  const sessions = createAnswer<SessionsReport>(() => 'api/sessions', false);
  /** The session of the URL, opened by asking for it. */
  const opened = createAnswer<SessionSummary>(() =>
    route.session === null ? null : `api/sessions/${route.session}`,
  );
  const menu = createMemo<MenuEntry[]>(() => {
    const entries = analyses.data() ?? USUAL_ENTRIES;
    return entries
      .filter((entry) => VIEWS.has(entry.name))
      .map(({ name, summary, group }) => ({ name, summary, group, title: titleOf(name) }));
  });
  const summaryOf = (id: number | null): SessionSummary | undefined => {
    const current = opened.data();
    if (current && current.id === id) return current;
    return sessions.data()?.sessions.find((session) => session.id === id);
  };
  return { analyses, sessions, opened, menu, summaryOf };
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
  return commandWith(shellQuote(location()));
}

/** The same with its path cut to what fits, to look at. */
export function shortCommandLine(): string {
  return commandWith(truncateMiddle(location(), 36));
}

/** A session that lies in no file, such as the demo, has no path. */
function location(): string {
  const root = sessions.data()?.root || 'PATH';
  return route.session === null ? root : summaryOf(route.session)?.location || root;
}

function commandWith(path: string): string {
  const words = ['stepscope', route.view, path];
  if (route.session === null) return words.join(' ');
  for (const [name, value] of Object.entries({ ...ownOptions(), ...selectionParams() })) {
    // A flag stands alone.
    words.push(`--${name}`, ...(value === 'true' ? [] : [shellQuote(value)]));
  }
  return words.join(' ');
}

/** Columns that only the page has; the command line cannot sort by them. */
const PAGE_ONLY = new Set(['busy_ratio', 'total_ratio', 'parts', 'phases']);

/** Parameters of the URL that are options of the analysis shown. */
function ownOptions(): Record<string, string> {
  const entry = analyses.data()?.find((analysis) => analysis.name === route.view);
  const found: Record<string, string> = {};
  for (const option of entry?.options ?? []) {
    const value = getParam(option.name);
    if (value && !(option.name === 'sort' && PAGE_ONLY.has(value.replace(/^-/, '')))) {
      found[option.name] = value;
    }
  }
  return found;
}
