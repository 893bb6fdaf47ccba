/** By what the slices of an area are told apart. */
import { For } from 'solid-js';

import type { AreaKey } from '../../timeline/api';

const KEYS: readonly { key: AreaKey; title: string }[] = [
  { key: 'name', title: 'Name' },
  { key: 'class', title: 'Class' },
  { key: 'scope', title: 'Scope' },
  { key: 'track', title: 'Track' },
  { key: 'device', title: 'Device' },
  { key: 'program', title: 'Program' },
  { key: 'step', title: 'Step' },
];

/** The key with this name, else the first choice. */
export function keyOf(name: string | undefined, first: AreaKey): AreaKey {
  return KEYS.find(({ key }) => key === name)?.key ?? first;
}

export const keyTitle = (wanted: AreaKey) => KEYS.find(({ key }) => key === wanted)!.title;

/** A button per key. */
export function KeyChoice(props: {
  label: string;
  chosen: AreaKey;
  onChoose: (key: AreaKey) => void;
}) {
  return (
    <span class="segmented" role="group" aria-label={props.label}>
      <For each={KEYS}>
        {({ key, title }) => (
          <button
            class="quiet"
            aria-pressed={props.chosen === key}
            onClick={() => props.onChoose(key)}
          >
            {title}
          </button>
        )}
      </For>
    </span>
  );
}

/** A menu of keys, where two choices stand side by side. */
export function KeyMenu(props: {
  label: string;
  chosen: AreaKey;
  onChoose: (key: AreaKey) => void;
}) {
  return (
    <label class="area-menu">
      <span class="muted">{props.label}</span>
      <select
        value={props.chosen}
        onChange={(event) => props.onChoose(event.currentTarget.value as AreaKey)}
      >
        <For each={KEYS}>{({ key, title }) => <option value={key}>{title}</option>}</For>
      </select>
    </label>
  );
}
