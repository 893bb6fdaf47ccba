/** The capture dialog: what to record and for how long, then the progress and the result. */
import { createSignal, For, onCleanup, Show } from 'solid-js';
import { createStore } from 'solid-js/store';

import { navigate } from '../shell/state';
import { sessions } from '../shell/session';
import { Modal } from '../widgets/modal';
import { Hint } from '../widgets/notes';
import { getJson, isAbort, postJson, WireError } from '../wire/client';
import type { CaptureHost } from '../wire/generated/CaptureHost';
import type { CaptureReport } from '../wire/generated/CaptureReport';
import type { CaptureSettings } from '../wire/generated/CaptureSettings';
import { closeCapture, isCaptureOpen } from './open';
import {
  problemOf,
  recall,
  remember,
  requestOf,
  sessionToOpen,
  stateOf,
  type CaptureForm,
} from './request';
import './capture.css';

const POLL_MS = 250;

/** The capture that is shown; it continues while the dialog is closed. */
const [current, setCurrent] = createSignal<CaptureReport>();

function storage(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}

export default function CaptureDialog() {
  const [settings, setSettings] = createSignal<CaptureSettings>();
  const [error, setError] = createSignal<WireError>();
  const closing = new AbortController();
  const told = (reason: unknown) => {
    if (isAbort(reason)) return;
    setError(reason instanceof WireError ? reason : new WireError(String(reason), '', 0));
  };
  getJson<CaptureSettings>('api/capture', closing.signal, false).then(setSettings).catch(told);
  onCleanup(() => closing.abort());

  const follow = (report: CaptureReport) => {
    setCurrent(report);
    if (report.state === 'done') return finish(report);
    setTimeout(() => {
      getJson<CaptureReport>(`api/capture/${report.id}`, undefined, false)
        .then(follow)
        .catch((reason: unknown) => {
          setCurrent(undefined);
          told(reason);
        });
    }, POLL_MS);
  };
  const start = (form: CaptureForm) => {
    setError(undefined);
    remember(storage(), form);
    postJson<CaptureReport>('api/capture', requestOf(form)).then(follow).catch(told);
  };
  return (
    <Modal class="capture" label="Capture" close={closeCapture}>
      <Show
        when={current()}
        fallback={<Form settings={settings()} error={error()} start={start} />}
      >
        {(report) => <Running report={report()} />}
      </Show>
    </Modal>
  );
}

/** Refreshes the list of sessions and opens the capture if it is complete. */
function finish(report: CaptureReport): void {
  sessions.retry();
  const session = sessionToOpen(report);
  if (session === null || !isCaptureOpen()) return;
  closeCapture();
  setCurrent(undefined);
  navigate({ session, view: 'overview' });
}

function Form(props: {
  settings: CaptureSettings | undefined;
  error: WireError | undefined;
  start: (form: CaptureForm) => void;
}) {
  const known = recall(storage());
  const [form, setForm] = createStore(known.form);
  const [isSent, setSent] = createSignal(false);
  const problem = () => (isSent() ? problemOf(form) : '');
  const send = (event: Event) => {
    event.preventDefault();
    setSent(true);
    if (problemOf(form) === '') props.start({ ...form });
  };
  const field = (name: keyof CaptureForm) => ({
    value: form[name],
    onInput: (event: InputEvent & { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      setForm(name, event.currentTarget.value),
  });
  return (
    <form onSubmit={send} novalidate>
      <h2>Capture a running job</h2>
      <p class="muted">
        The job must call <code>jax.profiler.start_server(9999)</code> once when it starts.
      </p>
      <label>
        <span>Addresses</span>
        <input
          type="text"
          class="mono"
          list="capture-addresses"
          placeholder="localhost:9999, other-host:9999"
          spellcheck={false}
          autocomplete="off"
          ref={(input) => setTimeout(() => input.focus())}
          {...field('addresses')}
        />
        <datalist id="capture-addresses">
          <For each={known.addresses}>{(address) => <option value={address} />}</For>
        </datalist>
      </label>
      <div class="capture-row">
        <label>
          <span>Seconds</span>
          <input type="text" inputmode="decimal" {...field('seconds')} />
        </label>
        <label class="is-wide">
          <span>Name</span>
          <input type="text" placeholder="optional" {...field('name')} />
        </label>
      </div>
      <Advanced form={form} set={(name, value) => setForm(name, value)} />
      <Show when={props.settings?.logdir}>
        {(logdir) => (
          <p class="muted">
            The capture is saved in a new folder in{' '}
            <Show when={logdir() !== '.'} fallback="the folder being viewed">
              <code>{logdir()}</code>
            </Show>
            , into a folder of its own.
          </p>
        )}
      </Show>
      <Show when={props.settings?.reason}>
        {(reason) => (
          <Problem
            text={`Cannot capture: ${reason()}.`}
            hint="Start the server with a log directory: `stepscope view LOGDIR`"
          />
        )}
      </Show>
      <Show when={problem()}>{(text) => <Problem text={text()} hint="" />}</Show>
      <Show when={props.error}>
        {(error) => <Problem text={error().message} hint={error().hint} />}
      </Show>
      <footer>
        <button type="button" onClick={closeCapture}>
          Close
        </button>
        <button type="submit" class="primary" disabled={!props.settings?.logdir}>
          Capture
        </button>
      </footer>
    </form>
  );
}

const LEVELS: { name: keyof CaptureForm; title: string; levels: string[] }[] = [
  {
    name: 'hostLevel',
    title: 'Host',
    levels: ['0 off', '1 annotations', '2 runtime', '3 everything'],
  },
  { name: 'deviceLevel', title: 'Device', levels: ['0 off', '1 on'] },
  { name: 'pythonLevel', title: 'Python', levels: ['0 off', '1 every call, high overhead'] },
];

function Advanced(props: {
  form: CaptureForm;
  set: (name: keyof CaptureForm, value: string) => void;
}) {
  return (
    <details>
      <summary>Advanced</summary>
      <div class="capture-row">
        <For each={LEVELS}>
          {(tracer) => (
            <label class="is-wide">
              <span>{tracer.title} tracer</span>
              <select onChange={(event) => props.set(tracer.name, event.currentTarget.value)}>
                <For each={tracer.levels}>
                  {(level) => (
                    <option value={level.charAt(0)} selected={props.form[tracer.name] === level.charAt(0)}>
                      {level}
                    </option>
                  )}
                </For>
              </select>
            </label>
          )}
        </For>
      </div>
      <label>
        <span>Profiler options, one per line</span>
        <textarea
          rows="3"
          class="mono"
          placeholder="tpu_trace_mode=TRACE_COMPUTE"
          spellcheck={false}
          value={props.form.options}
          onInput={(event) => props.set('options', event.currentTarget.value)}
        />
      </label>
    </details>
  );
}

function Running(props: { report: CaptureReport }) {
  const isDone = () => props.report.state === 'done';
  const title = () => {
    if (props.report.state === 'ending') return 'Stopping and keeping what was recorded';
    if (!isDone()) return 'Capturing';
    if (props.report.session === null) return 'Nothing captured';
    return props.report.status === 'complete' ? 'Captured' : 'Partially captured';
  };
  const open = (session: string) => {
    closeCapture();
    setCurrent(undefined);
    navigate({ session, view: 'overview' });
  };
  return (
    <div class="capture-progress" aria-live="polite">
      <h2>{title()}</h2>
      <ul>
        <For each={props.report.hosts}>
          {(host) => <Host host={host} seconds={props.report.duration_seconds} />}
        </For>
      </ul>
      <Show when={props.report.error && props.report.session_id === ''}>
        <Problem text={props.report.error} hint={props.report.hint} />
      </Show>
      <footer>
        <Show
          when={isDone()}
          fallback={
            <button
              type="button"
              onClick={() => {
                // The next report shows the outcome.
                postJson(`api/capture/${props.report.id}/end`, {}).catch(() => undefined);
              }}
            >
              {props.report.state === 'ending' ? 'Give up' : 'Cancel'}
            </button>
          }
        >
          <button type="button" onClick={() => setCurrent(undefined)}>
            Capture again
          </button>
          <Show when={props.report.session}>
            {(session) => (
              <button type="button" class="primary" onClick={() => open(session())}>
                Open capture
              </button>
            )}
          </Show>
        </Show>
      </footer>
    </div>
  );
}

function Host(props: { host: CaptureHost; seconds: number }) {
  const state = () => stateOf(props.host, props.seconds);
  return (
    <li classList={{ 'is-failed': props.host.phase === 'failed' }}>
      <div class="capture-line">
        <code>{props.host.address}</code>
        <span class="muted">{state().text}</span>
      </div>
      <div class="capture-track">
        <div style={{ width: `${state().ratio * 100}%` }} />
      </div>
      <Show when={props.host.message}>
        <Problem text={props.host.message} hint={props.host.hint} />
      </Show>
    </li>
  );
}

/** Capitalizes a message; those of the command line start in lowercase. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function Problem(props: { text: string; hint: string }) {
  return (
    <div class="capture-problem" role="alert">
      <p>{sentence(props.text)}</p>
      <Show when={props.hint}>{(hint) => <Hint hint={hint()} />}</Show>
    </div>
  );
}
