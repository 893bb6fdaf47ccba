/**
 * The state of the page, all of it in the URL hash: `#/s/<session>/<view>?steps=3..8&device=0&…`.
 *
 * - `route` is a store: reading `route.session`, `route.view` or `route.params.steps` in a component
 *   tracks just that value. `getParam(name)` does the same for a parameter by name.
 * - `setParams({name: value | null}, replace)` changes parameters. `replace: true` is for continuous
 *   changes (a window being dragged): the store changes immediately, the URL follows at most every
 *   150 ms, and Back skips it. `replace: false` adds an entry for Back.
 * - `modelFlops` is what the user says the model needs per step; all views of a session share it.
 * - `baseline` is the session that everything is compared with; views and sessions share it.
 * - The selection (`steps`, `series`, `time`, `device`, `host`, `program`, `match`) is shared by all
 *   views and survives a change of view; all other parameters belong to the view that set them and
 *   come back with it.
 */
import { createStore, reconcile } from 'solid-js/store';

import { formatHash, KEY, parseHash, sameRoute, TIMELINE_VIEW, type Params, type Route } from './hash';
import { shared } from './shared';

export { INCIDENTS_VIEW, SQL_VIEW } from './hash';
export type { Params, Route } from './hash';

/** Parameters that mean the same in every view and on the command line. */
export const SELECTION_KEYS = ['steps', 'series', 'time', 'device', 'host', 'program', 'match'] as const;
export type SelectionKey = (typeof SELECTION_KEYS)[number];

/** The session that everything is compared with; it stays when the view or the session changes. */
const BASELINE_KEY = 'baseline';

/** FLOPs of the model per step, a number or a product; for the views that have MFU. */
const MODEL_KEY = 'model-flops';

const URL_DELAY_MS = 150;

const initial = parseHash(currentHash());
const [store, setStore] = createStore<Route>(initial);

/** What the page shows. Read-only and reactive. */
export const route: Readonly<Route> = store;

/** Parameters of the views visited before, restored on return, by `session/view`. */
const remembered = new Map<string, Params>();

// A saved report brings the marks of whoever saved it.
const savedMarks = shared()?.marks;
if (savedMarks && initial.session !== null) {
  if (initial.view !== TIMELINE_VIEW) {
    remembered.set(`${initial.session}/${TIMELINE_VIEW}`, { marks: savedMarks });
  } else if (initial.params['marks'] === undefined) {
    setStore('params', 'marks', savedMarks);
  }
}

let pendingUrl: ReturnType<typeof setTimeout> | undefined;

/** The value of a parameter of the URL; reactive. */
export function getParam(name: string): string | undefined {
  return store.params[name];
}

/** Changes parameters; `null`, `undefined` or `''` removes one. */
export function setParams(
  changes: Record<string, string | number | null | undefined>,
  replace: boolean,
): void {
  const params: Params = { ...store.params };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined || value === '') {
      delete params[name];
    } else {
      params[name] = String(value);
    }
  }
  go({ session: store.session, view: store.view, params }, replace);
}

/** Goes to a view (of another session when given), keeping the selection within one session. */
export function navigate(
  target: { session?: string | null; view: string; params?: Params },
  replace = false,
): void {
  go(resolve(target), replace);
}

/** The address of a view, for links: `navigate` as an `href`. */
export function hrefTo(target: { session?: string | null; view: string; params?: Params }): string {
  return formatHash(resolve(target));
}

/** The marks on the session's timeline, also while another view is shown. Reactive. */
export function timelineMarks(): string {
  const own = store.view === TIMELINE_VIEW ? store.params : undefined;
  return (own ?? remembered.get(`${store.session}/${TIMELINE_VIEW}`))?.['marks'] ?? '';
}

/** A part of the shared selection, as typed on the command line; `''` when not set. Reactive. */
export function selected(key: SelectionKey): string {
  return shared() ? '' : (store.params[key] ?? '');
}

/** Sets a part of the selection; Back undoes it. */
export function select(key: SelectionKey, value: string | null): void {
  // A report only has answers for the selection it was written with.
  if (shared()) return;
  setParams({ [key]: value }, false);
}

/** Selects just one step, or all steps if it is already selected alone. */
export function toggleStep(step: number): void {
  const text = String(step);
  select('steps', selected('steps') === text ? null : text);
}

/** The selection as request parameters. Reactive. */
export function selectionParams(): Params {
  const params: Params = {};
  for (const key of SELECTION_KEYS) {
    const value = selected(key);
    if (value) params[key] = value;
  }
  return params;
}

/** FLOPs that the model needs per step, as typed on the command line; `''` when not set. Reactive. */
export function modelFlops(): string {
  return shared() ? '' : (store.params[MODEL_KEY] ?? '');
}

/** States them, or nothing; Back undoes it. */
export function setModelFlops(text: string): void {
  setParams({ [MODEL_KEY]: text }, false);
}

/** The selection and the FLOPs of the model, for requests of views that have MFU. Reactive. */
export function utilizationParams(): Params {
  const flops = modelFlops();
  return flops === '' ? selectionParams() : { ...selectionParams(), [MODEL_KEY]: flops };
}

/** Writes a delayed change of the URL now. */
export function flushUrl(): void {
  if (pendingUrl === undefined) return;
  clearTimeout(pendingUrl);
  pendingUrl = undefined;
  writeUrl(true);
}

/** The key of the baseline; null if there is none or if it is the session shown. Reactive. */
export function baseline(): string | null {
  if (shared()) return null;
  const key = store.params[BASELINE_KEY];
  return key === undefined || !KEY.test(key) || key === store.session ? null : key;
}

/** Chooses the baseline, or none; Back undoes it. */
export function setBaseline(session: string | null): void {
  setParams({ [BASELINE_KEY]: session }, false);
}

/** Shows the same view of the baseline, compared with the session shown now. */
export function swapBaseline(): void {
  const [shown, other] = [store.session, baseline()];
  if (shown === null || other === null) return;
  const params = { ...selectionParams(), [BASELINE_KEY]: shown };
  navigate({ session: other, view: store.view, params });
}

function resolve(target: { session?: string | null; view: string; params?: Params }): Route {
  const session = target.session === undefined ? store.session : target.session;
  const shared = session === store.session ? selectionParams() : {};
  const flops = modelFlops();
  if (session === store.session && flops !== '') shared[MODEL_KEY] = flops;
  const against = store.params[BASELINE_KEY];
  if (against !== undefined && session !== null && against !== session) {
    shared[BASELINE_KEY] = against;
  }
  const isHere = session === store.session && target.view === store.view;
  const own = isHere ? store.params : remembered.get(`${session}/${target.view}`);
  const params = Object.entries({ ...own, ...shared, ...target.params });
  // An empty one removes what was remembered.
  const kept = Object.fromEntries(params.filter(([, value]) => value !== ''));
  return { session, view: target.view, params: kept };
}

function go(next: Route, replace: boolean): void {
  if (sameRoute(next, store)) return;
  if (!replace) flushUrl();
  show(next);
  if (replace) {
    pendingUrl ??= setTimeout(flushUrl, URL_DELAY_MS);
  } else {
    writeUrl(false);
  }
}

function show(next: Route): void {
  if (store.session !== next.session || store.view !== next.view) {
    remember();
  }
  setStore(reconcile(next));
}

/** Remembers the parameters of the view that is being left. */
function remember(): void {
  const shared: readonly string[] = [...SELECTION_KEYS, BASELINE_KEY, MODEL_KEY];
  const own = Object.entries(store.params).filter(([name]) => !shared.includes(name));
  remembered.set(`${store.session}/${store.view}`, Object.fromEntries(own));
}

function writeUrl(replace: boolean): void {
  const hash = formatHash(store);
  try {
    if (replace) history.replaceState(null, '', hash);
    else history.pushState(null, '', hash);
  } catch {
    // A sandboxed frame may forbid it; the page works without it.
  }
}

function currentHash(): string {
  return typeof window === 'undefined' ? '' : window.location.hash;
}

if (typeof window !== 'undefined') {
  const arrive = () => {
    clearTimeout(pendingUrl);
    pendingUrl = undefined;
    const next = parseHash(currentHash());
    if (!sameRoute(next, store)) show(next);
  };
  window.addEventListener('popstate', arrive);
  window.addEventListener('hashchange', arrive);
  window.addEventListener('pagehide', flushUrl);
}
