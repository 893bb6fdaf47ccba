/**
 * The URL hash and back: `#/` lists the sessions, `#/sql` queries all of them, `#/incidents` shows
 * what the flight recorder noticed, and
 * `#/s/<session>/<view>?name=value` shows a view of one.
 * A session is identified by its key, never by its number, which changes when another one appears.
 * Values stay readable: commas, colons, slashes and dots are not escaped.
 */

/** Names and values after the `?`. */
export type Params = Record<string, string>;

/** The session, view and parameters that the page shows. */
export interface Route {
  /** The key of the session, `null` in the list of sessions. */
  session: string | null;
  /** Name of the analysis shown; `sessions` for the list. */
  view: string;
  params: Params;
}

export const SESSIONS_VIEW = 'sessions';
export const FIRST_VIEW = 'overview';
/** The view with a time axis, and marks on it. */
export const TIMELINE_VIEW = 'timeline';
/** Queries: of a session, or of all of them. */
export const SQL_VIEW = 'sql';
/** What the flight recorder noticed. */
export const INCIDENTS_VIEW = 'incidents';
/** In the list of sessions: the session number from an old link. */
export const NUMBERED_PARAM = 'numbered';
/** The syntax of a session key. */
export const KEY = /^(?!\d+$)[\w.~-]+$/;

/** Parses a hash; an invalid one leads to the list of sessions. */
export function parseHash(hash: string): Route {
  const text = hash.replace(/^#/, '');
  const mark = text.indexOf('?');
  const path = mark < 0 ? text : text.slice(0, mark);
  const params = parseParams(mark < 0 ? '' : text.slice(mark + 1));
  const match = /^\/s\/([\w.~-]+)(?:\/([a-z_]+))?\/?$/.exec(path);
  const session = match?.[1];
  if (session === undefined) {
    const ofAll = [SQL_VIEW, INCIDENTS_VIEW].find((view) => path.replace(/\/$/, '') === `/${view}`);
    return { session: null, view: ofAll ?? SESSIONS_VIEW, params };
  }
  // Old links contain a number, which may belong to another session by now.
  if (/^\d+$/.test(session)) {
    return { session: null, view: SESSIONS_VIEW, params: { [NUMBERED_PARAM]: session } };
  }
  return { session, view: match?.[2] ?? FIRST_VIEW, params };
}

/** Formats a route as a hash; the order of its parameters does not matter. */
export function formatHash(route: Route): string {
  const path = route.session === null ? pathOfAll(route.view) : `/s/${route.session}/${route.view}`;
  const query = Object.keys(route.params)
    .filter((name) => route.params[name] !== '')
    .sort()
    .map((name) => `${escape(name)}=${escape(route.params[name] ?? '')}`)
    .join('&');
  return `#${path}${query ? `?${query}` : ''}`;
}

/** The path of a view of all sessions. */
const pathOfAll = (view: string) => (view === SESSIONS_VIEW ? '/' : `/${view}`);

/** Whether two routes show the same. */
export function sameRoute(one: Route, other: Route): boolean {
  return formatHash(one) === formatHash(other);
}

function parseParams(query: string): Params {
  const params: Params = {};
  for (const part of query.split('&')) {
    if (!part) continue;
    const equals = part.indexOf('=');
    const name = unescape(equals < 0 ? part : part.slice(0, equals));
    const value = equals < 0 ? '' : unescape(part.slice(equals + 1));
    if (name && value) params[name] = value;
  }
  return params;
}

function escape(text: string): string {
  return encodeURIComponent(text).replace(/%(2C|3A|2F|40|24|3B|5B|5D)/g, (code) =>
    decodeURIComponent(code),
  );
}

function unescape(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, ' '));
  } catch {
    return text;
  }
}

/** Whether a comparison of sessions calls the one at a location by this name. */
export function isCalled(location: string, name: string): boolean {
  const parts = location
    .split('/')
    .filter((part) => !['', '.', 'plugins', 'profile'].includes(part));
  return `/${parts.join('/')}`.endsWith(`/${name}`);
}
