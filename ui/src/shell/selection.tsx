/** The selection shared by all views, as chips; each is also a command-line option. */
import { createSignal, For, Show, type JSX } from 'solid-js';

import { plural } from '../format/numbers';
import { patternError, patternOf } from '../format/pattern';
import { shellQuote } from '../format/text';
import { stepsText, timeText } from '../format/time-range';
import { CopyButton, copyText } from '../widgets/copy';
import { contextMenu, type MenuEntry } from '../widgets/menu/menu';
import { Popover } from '../widgets/popover';
import { createReport } from '../wire/report';
import { BaselineChip } from './baseline-chip';
import { clearSelected, clearSelection } from './clearing';
import { Icon } from './icons';
import { commandLine, shortCommandLine, summaryOf } from './session';
import {
  route,
  select,
  selected,
  selectionParams,
  type SelectionKey,
} from './state';
import './selection.css';

export function SelectionBar() {
  return (
    <div class="selection" role="toolbar" aria-label="Selection">
      <BaselineChip />
      <Chip name="steps" title="Steps" everything="all" show={stepsText}>
        {(close) => (
          <TextSelection
            name="steps"
            close={close}
            placeholder="3..8"
            help={
              <>
                One step <code>5</code>, a range <code>3..8</code> (8 excluded) or{' '}
                <code>3..=8</code>, an open range <code>3..</code>, or a list{' '}
                <code>1,4,7..9</code>. Or click and drag in the step chart.
              </>
            }
          />
        )}
      </Chip>
      <Show when={selected('series')}>
        <Chip name="series" title="Series" everything="the one with the most steps">
          {(close) => (
            <TextSelection
              name="series"
              close={close}
              placeholder="eval"
              help="Steps with one name, such as train or eval."
            />
          )}
        </Chip>
      </Show>
      <Chip name="time" title="Time" everything="all" show={timeText}>
        {(close) => (
          <TextSelection
            name="time"
            close={close}
            placeholder="1.2s..1.5s"
            help={
              <>
                Time since the start of the session: a range <code>1.2s..1.5s</code>, an open range{' '}
                <code>300ms..</code>, or a list. Includes what begins in the range. Or drag an area in
                the timeline and choose <b>Select this time</b>.
              </>
            }
          />
        )}
      </Chip>
      <Chip name="device" title="Devices" everything="all">
        {() => <DeviceSelection />}
      </Chip>
      <Chip name="host" title="Hosts" everything="all">
        {() => <HostSelection />}
      </Chip>
      <Show when={selected('program')}>
        <Chip name="program" title="Program" everything="all">
          {(close) => (
            <TextSelection
              name="program"
              close={close}
              placeholder="jit_step"
              help="Part of a program's name, or its id; separate several with commas."
            />
          )}
        </Chip>
      </Show>
      <Chip name="match" title="Match" everything="any">
        {(close) => (
          <TextSelection
            name="match"
            close={close}
            placeholder="dot|attention"
            isPattern
            help="Regular expression for name, category, scope and source. Capitals make it case-sensitive."
          />
        )}
      </Chip>
      <Show when={Object.keys(selectionParams()).length > 0}>
        <button class="quiet" onClick={clearSelection}>
          Clear
        </button>
      </Show>
      <CopyButton
        text={commandLine}
        tip="Copy the command that prints this in a terminal"
        class="quiet command"
      >
        <span class="mono">{shortCommandLine()}</span>
      </CopyButton>
    </div>
  );
}

function Chip(props: {
  name: SelectionKey;
  title: string;
  everything: string;
  /** Formats a value for the chip; without it, the value is shown as typed. */
  show?: (value: string) => string;
  children: (close: () => void) => JSX.Element;
}) {
  return (
    <span
      class="chip"
      classList={{ 'is-set': selected(props.name) !== '' }}
      onContextMenu={contextMenu(() => menuOf(props.name, props.title))}
    >
      <Popover
        label={
          <>
            <span class="chip-title">{props.title}</span>
            <span class="chip-value">
              {selected(props.name)
                ? (props.show?.(selected(props.name)) ?? selected(props.name))
                : props.everything}
            </span>
          </>
        }
      >
        {props.children}
      </Popover>
      <Show when={selected(props.name)}>
        <button
          class="chip-clear"
          aria-label={`All ${props.title.toLowerCase()}`}
          onClick={() => clearSelected(props.name, props.title)}
        >
          <Icon name="close" />
        </button>
      </Show>
    </span>
  );
}

/** What a right click on a chip offers. */
function menuOf(name: SelectionKey, title: string): MenuEntry[] {
  const value = selected(name);
  const others = Object.keys(selectionParams()).some((key) => key !== name);
  if (!value) return [{ title: 'Copy the command line', run: () => void copyText(commandLine()) }];
  return [
    { title: 'Clear', detail: `${title.toLowerCase()} ${value}`, run: () => clearSelected(name, title) },
    ...(others ? [{ title: 'Clear the whole selection', run: clearSelection }] : []),
    'separator',
    { title: 'Copy as an option', detail: `--${name} ${value}`, run: () => void copyText(`--${name} ${shellQuote(value)}`) },
    { title: 'Copy the command line', run: () => void copyText(commandLine()) },
  ];
}

function TextSelection(props: {
  name: SelectionKey;
  close: () => void;
  placeholder: string;
  help: JSX.Element;
  /** A regular expression. */
  isPattern?: boolean;
}) {
  const [text, setText] = createSignal(selected(props.name));
  const problem = () => (props.isPattern ? patternError(text()) : '');
  const submit = (event: Event) => {
    event.preventDefault();
    const typed = text().trim();
    select(props.name, (props.isPattern ? patternOf(typed) : typed) || null);
    props.close();
  };
  return (
    <form class="selection-form" onSubmit={submit}>
      <div class="selection-line">
        <input
          type="text"
          class="mono"
          ref={(field) => setTimeout(() => field.select())}
          placeholder={props.placeholder}
          aria-label={props.name}
          value={text()}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button class="primary" type="submit">
          Select
        </button>
      </div>
      <p class="muted" role="status">
        {problem() || props.help}
      </p>
    </form>
  );
}

function DeviceSelection() {
  // Ignores the selection, to list all devices.
  const overview = createReport(
    'overview',
    () => route.session ?? '',
    () => ({}),
  );
  const entries = () =>
    (overview.data()?.devices ?? []).map((device) => ({
      value: String(device.device_index),
      title: device.device,
    }));
  return <Choices name="device" entries={entries()} noun="device" />;
}

function HostSelection() {
  const entries = () =>
    (summaryOf(route.session)?.hosts ?? []).map((host) => ({ value: host, title: host }));
  return <Choices name="host" entries={entries()} noun="host" />;
}

function Choices(props: {
  name: SelectionKey;
  entries: { value: string; title: string }[];
  noun: string;
}) {
  const chosen = () => selected(props.name).split(',').filter(Boolean);
  const toggle = (value: string) => {
    const next = chosen().includes(value)
      ? chosen().filter((other) => other !== value)
      : props.entries
          .map((entry) => entry.value)
          .filter((other) => other === value || chosen().includes(other));
    select(props.name, next.length === props.entries.length ? null : next.join(','));
  };
  return (
    <div class="choices">
      <p class="muted">
        {plural(props.entries.length, props.noun)} in this session; none checked means all
      </p>
      <For each={props.entries}>
        {(entry) => (
          <label>
            <input
              type="checkbox"
              checked={chosen().includes(entry.value)}
              onChange={() => toggle(entry.value)}
            />
            {entry.title}
          </label>
        )}
      </For>
    </div>
  );
}
