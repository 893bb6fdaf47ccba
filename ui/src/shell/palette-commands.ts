/** Everything that the command palette can do, before anything is typed. */
import { openCapture } from '../capture/open';
import { copyText } from '../widgets/copy';
import { COLORS_BY } from '../timeline/coloring';
import { clearBaseline, clearSelection } from './clearing';
import { openEditorSettings } from './editor';
import { withAliases } from './palette-aliases';
import type { Named } from './palette-order';
import { commandLine, entryView, menu, sessions } from './session';
import { shared } from './shared';
import { saveAsFile } from './share-button';
import { keysOf, shortcuts } from './shortcuts';
import { typedSteps } from './typed-steps';
import {
  baseline,
  flushUrl,
  INCIDENTS_VIEW,
  navigate,
  route,
  select,
  setBaseline,
  setParams,
  SQL_VIEW,
  swapBaseline,
} from './state';
import { setTheme } from './theme';

export interface Command extends Named {
  run: () => void;
  /** The keys that do the same. */
  keys?: readonly string[];
}

/** Views, commands of the page, sessions. Reactive. */
export function commands(): Command[] {
  return [...views(), ...[...registered(), ...actions()].map(withAliases), ...toSessions()];
}

function views(): Command[] {
  if (route.session === null) return [];
  return menu().map((entry) => ({
    title: entry.title,
    detail: entry.summary,
    group: 'View',
    aliases: entry.aliases,
    run: () => navigate({ view: entry.name }),
  }));
}

/** What has or could have a key on this page; the palette itself is open already. */
function registered(): Command[] {
  const found = new Map<string, Command>();
  for (const shortcut of shortcuts()) {
    const { run, isHeld, keys, label, group } = shortcut;
    if (!run || isHeld || keys.includes('Escape') || keys.includes('Ctrl+k')) continue;
    found.set(`${group}/${label}`, {
      title: label,
      detail: '',
      group: group === 'Everywhere' ? 'Action' : group,
      keys: keysOf(shortcut).filter((key) => !key.startsWith('Meta+')),
      run: () => void run(new KeyboardEvent('keydown')),
    });
  }
  return [...found.values()];
}

function toSessions(): Command[] {
  return (shared() ? [] : (sessions.data()?.sessions ?? [])).map((session) => ({
    title: session.name,
    detail: session.devices || session.location,
    group: 'Session',
    run: () => {
      const view = route.session === null ? entryView(session) : route.view;
      navigate({ session: session.key, view });
    },
  }));
}

function actions(): Command[] {
  const copyLink = () => {
    flushUrl();
    void copyText(window.location.href);
  };
  const always = [
    action('Copy the link', copyLink),
    action('Copy the command line', () => void copyText(commandLine()), commandLine()),
    action('Choose the editor of source lines', openEditorSettings),
    action('Light colors', () => setTheme('light')),
    action('Dark colors', () => setTheme('dark')),
    action('System colors', () => setTheme('auto')),
    action('Print', () => setTimeout(() => window.print(), 100)),
  ];
  // A report contains one session and cannot compute anything.
  if (shared()) return always;
  return [
    action('All sessions', () => navigate({ session: null, view: 'sessions' })),
    action('Query all sessions in SQL', () => navigate({ session: null, view: SQL_VIEW })),
    ...(sessions.data()?.incident_count == null
      ? []
      : [action('Incidents', () => navigate({ session: null, view: INCIDENTS_VIEW }))]),
    action('Capture a running job', openCapture),
    ...(route.session === null ? [] : [action('Clear the selection', clearSelection)]),
    ...always,
    ...exports(),
    ...colorCommands(),
    ...baselineCommands(),
  ];
}

/** Commands that save the session as a file to share. */
function exports(): Command[] {
  if (route.session === null) return [];
  const what = 'Export: opens without a server';
  return [
    action('Save as a single HTML file', () => saveAsFile(false), what),
    action('Save as a single HTML file, names redacted', () => saveAsFile(true), what),
  ];
}

/** Commands that color the timeline. */
function colorCommands(): Command[] {
  if (route.session === null) return [];
  return COLORS_BY.map(({ key, title }) => ({
    ...action(`Color the timeline by ${title.toLowerCase()}`, () => {
      if (route.view === 'timeline') setParams({ color: key }, false);
      else navigate({ view: 'timeline', params: { color: key } });
    }),
    group: 'Timeline',
  }));
}

/** Commands that choose, swap and clear the baseline. */
function baselineCommands(): Command[] {
  if (route.session === null) return [];
  const others = (sessions.data()?.sessions ?? []).filter(({ key }) => key !== route.session);
  const list = others.map((session) => ({
    ...action(`Compare with ${session.name}`, () => setBaseline(session.key), session.devices),
    group: 'Baseline',
  }));
  if (baseline() === null) return list;
  return [
    ...list,
    { ...action('Swap with the baseline', swapBaseline), group: 'Baseline' },
    { ...action('Clear the baseline', clearBaseline), group: 'Baseline' },
  ];
}

function action(title: string, run: () => void, detail = ''): Command {
  return { title, detail, group: 'Action', run };
}

/** Commands that use the typed text itself. */
export function searches(query: string): Command[] {
  const text = query.trim();
  if (!text || route.session === null) return [];
  const list: Command[] = [];
  const steps = shared() ? null : typedSteps(text);
  if (steps) {
    list.push({
      title: `Select ${steps.title}`,
      detail: '',
      group: 'Selection',
      run: () => select('steps', steps.value),
    });
  }
  const search = (title: string, view: string, params: Record<string, string>): Command => ({
    title,
    detail: '',
    group: 'Search',
    run: () => navigate({ view, params }),
  });
  return [
    ...list,
    search(`Slices that match “${text}” in the timeline`, 'timeline', { search: text }),
    search(`Ops that match “${text}”`, 'ops', { q: text }),
  ];
}
