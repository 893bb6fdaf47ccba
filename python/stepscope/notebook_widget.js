// The cell of `session.show()`: the page in a frame, whose requests go to the kernel and back.

/** An ID of its own. `crypto.randomUUID` is missing where a notebook comes over plain HTTP from a server. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Asks the kernel, and calls `done` with its answer: status, headers, and buffers. */
function connection(model) {
  const waiting = new Map();
  // Several views of a model get all of its messages.
  const view = newId();
  let count = 0;
  const receive = (content, buffers) => {
    const done = content.view === view && waiting.get(content.id);
    if (!done) return;
    waiting.delete(content.id);
    const copies = buffers.map((bytes) => {
      const start = bytes.byteOffset ?? 0;
      return (bytes.buffer ?? bytes).slice(start, start + bytes.byteLength);
    });
    done(content, ...copies);
  };
  model.on('msg:custom', receive);
  return {
    ask(request, done) {
      const id = (count += 1);
      waiting.set(id, done);
      model.send({ ...request, view, id });
    },
    close: () => model.off('msg:custom', receive),
  };
}

/** The answers that the page needs first, requested while it starts: three turns, one after another. */
function ahead(kernel, urls) {
  const asked = new Map();
  for (const url of urls) {
    const request = { method: 'GET', url, body: '', ahead: true };
    const answer = new Promise((resolve) => {
      kernel.ask(request, (content, bytes) => resolve([content, bytes]));
    });
    asked.set(url, answer);
  }
  return {
    /** The kernel answers. */
    first: Promise.race(asked.values()),
    /** The answer if it is on its way; each is given once, for what is asked again may have changed. */
    take({ method, url }) {
      const answer = method === 'GET' ? asked.get(url) : undefined;
      asked.delete(url);
      return answer;
    },
  };
}

/**
 * The page, which the kernel sends once for all cells of a window: it is most of what a cell needs. Its
 * code has one URL for all of them, so that the browser compiles it once.
 */
function pageOf(kernel, version) {
  const pages = (window.stepscopePages ??= new Map());
  const known = pages.get(version);
  if (known !== undefined) return Promise.resolve(known);
  return new Promise((resolve) => {
    kernel.ask({ page: true }, (_, page, code) => {
      const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
      const text = new TextDecoder().decode(page).replace('stepscope-code:first', url);
      pages.set(version, text);
      resolve(text);
    });
  });
}

/** Calls `done` with a file of the page's code, which the kernel sends once for all cells of a window. */
function codeOf(kernel, version, url, done) {
  const files = (window.stepscopeFiles ??= new Map());
  const name = `${version} ${url}`;
  const known = files.get(name);
  // Copies: what a frame gets is taken from this window.
  if (known) return done(known.content, known.bytes.slice(0));
  kernel.ask({ method: 'GET', url, body: '' }, (content, bytes) => {
    if (content.status === 200) files.set(name, { content, bytes: bytes.slice(0) });
    done(content, bytes);
  });
}

/** The theme of the notebook, which may not be the system's: `dark` if its text is light. */
function themeAround(element) {
  const context = document.createElement('canvas').getContext('2d');
  context.fillStyle = getComputedStyle(element).color;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  return red + green + blue > 3 * 127 ? 'dark' : 'light';
}

/** Hides the picture, another output of the cell that may be drawn anew, until the result is called. */
function hidePicture(name) {
  const style = document.createElement('style');
  style.textContent = `[data-stepscope-picture="${name}"]{display:none}`;
  document.head.append(style);
  return () => style.remove();
}

function render({ model, el }) {
  const kernel = connection(model);
  const frame = document.createElement('iframe');
  frame.title = 'Stepscope';
  frame.style.cssText = `width:100%;height:${model.get('height')}px;border:0;display:none`;
  let showPicture = () => {};
  const receive = (event) => {
    const request = event.data;
    if (event.source !== frame.contentWindow || request?.kind !== 'stepscope-request') return;
    const { id, method, url, body } = request;
    const answer = ({ status, headers }, bytes) => {
      const answered = { kind: 'stepscope-answer', id, status, headers, body: bytes };
      frame.contentWindow?.postMessage(answered, '*', [bytes]);
    };
    const early = answers.take(request);
    if (early) void early.then(([content, bytes]) => answer(content, bytes));
    else if (url.startsWith('frame/')) codeOf(kernel, model.get('page'), url, answer);
    else kernel.ask({ method, url, body }, answer);
  };
  window.addEventListener('message', receive);
  const page = pageOf(kernel, model.get('page'));
  const answers = ahead(kernel, model.get('first'));
  el.append(frame);
  let isClosed = false;
  // Without a kernel, as in an exported notebook, nothing answers: then the picture stays.
  void Promise.all([page, answers.first]).then(([text]) => {
    if (isClosed) return;
    const place = model.get('place').replace(/&/g, '&amp;').replace(/"/g, '&quot;');
    frame.style.display = 'block';
    showPicture = hidePicture(model.get('picture'));
    const theme = themeAround(el);
    const marks = `data-cell="${place}" data-around="${theme}" data-theme="${theme}"`;
    frame.srcdoc = text.replace('<html', () => `<html ${marks}`);
  });
  return () => {
    isClosed = true;
    window.removeEventListener('message', receive);
    kernel.close();
    showPicture();
  };
}

export default { render };
