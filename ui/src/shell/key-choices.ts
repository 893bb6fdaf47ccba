/** The keys that the user chose for commands, kept in this browser. */
import { createSignal } from 'solid-js';

import { store, stored } from './stored';

const KEY = 'stepscope.keys';

type Choices = Readonly<Record<string, readonly string[]>>;

const [choices, setChoices] = createSignal<Choices>(parse(stored(KEY)));

/** The keys chosen for a command; undefined if it has its own. Reactive. */
export const chosenKeys = (id: string): readonly string[] | undefined => choices()[id];

/** Whether any command has other keys than its own. */
export const hasChoices = (): boolean => Object.keys(choices()).length > 0;

/** Gives a command other keys; `null` gives it back its own. */
export function chooseKeys(id: string, keys: readonly string[] | null): void {
  const { [id]: _, ...rest } = choices();
  keep(keys === null ? rest : { ...rest, [id]: keys });
}

/** Gives all commands back their own keys; returns a function that takes it back. */
export function forgetKeys(): () => void {
  const before = choices();
  keep({});
  return () => keep(before);
}

function keep(next: Choices): void {
  setChoices(next);
  store(KEY, Object.keys(next).length === 0 ? null : JSON.stringify(next));
}

/** What was kept, without anything that is not a list of keys. */
export function parse(text: string | null): Choices {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    if (typeof value !== 'object' || value === null) return {};
    const isKeys = (keys: unknown) =>
      Array.isArray(keys) && keys.every((key) => typeof key === 'string');
    return Object.fromEntries(Object.entries(value).filter(([, keys]) => isKeys(keys)));
  } catch {
    return {};
  }
}
