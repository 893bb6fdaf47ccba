/**
 * What `notebook.mjs` notes in the browser: `[name, ms of the wall clock, detail]`, and a mark for
 * those who trace it. Runs in
 * JupyterLab's window before anything else does; the frame has the same origin, so it is watched
 * from there, too.
 */
export function watch() {
  if (window !== window.top) return;
  const marks = (window.stepscopeMarks = []);
  const mark = (name, detail) => {
    marks.push([name, performance.timeOrigin + performance.now(), detail]);
    performance.mark(`stepscope ${name} ${detail ?? ''}`);
  };
  /** Calls `seen` with an element and a value before the value is set. */
  const onSet = (prototype, name, seen) => {
    const property = Object.getOwnPropertyDescriptor(prototype, name);
    const set = function (value) {
      seen(this, value);
      property.set.call(this, value);
    };
    Object.defineProperty(prototype, name, { ...property, set });
  };
  /** Marks when the first tile is painted, which is drawn in this turn or in the next one. */
  const look = (frame) => {
    const stats = frame.contentWindow?.__stepscope?.timeline?.stats();
    if (stats?.tilesLoaded) requestAnimationFrame(() => setTimeout(() => mark('painted')));
    else requestAnimationFrame(() => look(frame));
  };
  const urls = new Map();
  window.addEventListener('keydown', (event) => event.key === 'Enter' && mark('key'), true);
  window.addEventListener('message', ({ data, source }) => {
    if (data?.kind !== 'stepscope-request') return;
    if (urls.size === 0) {
      source.addEventListener('message', (event) => mark('answered', urls.get(event.data.id) ?? ''), true);
    }
    urls.set(data.id, data.url);
    mark('asked', data.url);
  });
  window.WebSocket = class extends WebSocket {
    constructor(...given) {
      super(...given);
      this.addEventListener('message', ({ data }) => mark('received', data.byteLength ?? data.length));
    }
  };
  onSet(HTMLElement.prototype, 'title', (element, text) => {
    if (text === 'Stepscope' && element instanceof HTMLIFrameElement) mark('widget');
  });
  onSet(HTMLIFrameElement.prototype, 'srcdoc', (frame) => {
    urls.clear();
    mark('page');
    look(frame);
  });
}
