/** Saves how the rows are arranged under a name, and lists what was saved. */
import { createSignal, For, Show } from 'solid-js';

import { Icon } from '../../shell/icons';
import type { Arrangement } from '../../timeline/arrangements';
import type { Timeline } from '../../timeline/timeline';
import { Modal } from '../../widgets/modal';
import {
  arrangements,
  deleteArrangement,
  renameArrangement,
  saveArrangement,
  showArrangement,
} from './arrangement-store';
import './arrangement-dialog.css';

interface DialogProps {
  timeline: Timeline;
  close: () => void;
}

export function ArrangementDialog(props: DialogProps) {
  const [name, setName] = createSignal('');
  const list = () => arrangements(props.timeline);
  const isKnown = () => list().some((one) => one.name === name().trim());
  const save = (event: Event) => {
    event.preventDefault();
    if (name().trim() === '') return;
    saveArrangement(props.timeline, name().trim());
    props.close();
  };
  return (
    <Modal class="arrangement-dialog" label="Arrangements" close={props.close}>
      <h2>Arrangements</h2>
      <p class="muted">
        Pinned, hidden, moved, folded and compact rows, closed groups, the filter, scales and colors
        under a name. They are kept in this browser, for sessions with the same devices and hosts.
      </p>
      <form onSubmit={save}>
        <input
          type="text"
          aria-label="Name of the arrangement as it is now"
          placeholder="Name of the arrangement as it is now"
          maxLength={80}
          autofocus
          value={name()}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button type="submit" disabled={name().trim() === ''}>
          {isKnown() ? 'Replace' : 'Save'}
        </button>
      </form>
      <ul class="plain-list" aria-label="Saved arrangements">
        <For each={list()} fallback={<li class="muted">None was saved for sessions like this one.</li>}>
          {(one) => <Saved {...props} arrangement={one} />}
        </For>
      </ul>
    </Modal>
  );
}

/** A saved arrangement: its name shows it; it can be renamed and deleted. */
function Saved(props: DialogProps & { arrangement: Arrangement }) {
  const [isRenaming, setRenaming] = createSignal(false);
  const [problem, setProblem] = createSignal('');
  const name = () => props.arrangement.name;
  const rename = (event: Event & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const to = String(new FormData(event.currentTarget).get('name')).trim();
    if (renameArrangement(props.timeline, name(), to)) setRenaming(false);
    else setProblem(to === '' ? 'It needs a name.' : `There is one called ${to}.`);
  };
  const show = () => {
    showArrangement(props.timeline, props.arrangement);
    props.close();
  };
  return (
    <li class="arrangement">
      <Show
        when={isRenaming()}
        fallback={
          <>
            <button class="quiet arrangement-name" data-tip="Show the rows like this" onClick={show}>
              {name()}
            </button>
            <button class="quiet" aria-label={`Rename ${name()}`} onClick={() => setRenaming(true)}>
              Rename
            </button>
            <button
              class="quiet icon-button"
              aria-label={`Delete ${name()}`}
              data-tip="Delete"
              onClick={() => deleteArrangement(props.timeline, name())}
            >
              <Icon name="close" />
            </button>
          </>
        }
      >
        <form
          onSubmit={rename}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.preventDefault();
            event.stopPropagation();
            setRenaming(false);
          }}
        >
          <input
            ref={(field) => queueMicrotask(() => field.select())}
            type="text"
            name="name"
            aria-label={`New name of ${name()}`}
            maxLength={80}
            value={name()}
          />
          <button type="submit">Rename</button>
        </form>
      </Show>
      <Show when={isRenaming() && problem()}>
        <p class="arrangement-problem" role="alert">
          {problem()}
        </p>
      </Show>
    </li>
  );
}
