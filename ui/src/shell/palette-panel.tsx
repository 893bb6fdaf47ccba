/** The open command palette: a field, and what it finds. */
import { createMemo, createSignal, For, onMount, Show } from 'solid-js';

import { Keys } from '../widgets/keys';
import { Modal } from '../widgets/modal';
import { Prose } from '../widgets/prose';
import { commands, searches, type Command } from './palette-commands';
import { withAliases } from './palette-aliases';
import { createNames } from './palette-names';
import { aliasFound, ranked } from './palette-order';
import { sourcedCommands } from './palette-sources';

/** More commands are not listed at once; a further letter finds them. */
const MOST_FOUND = 150;

export default function PalettePanel(props: { close: () => void }) {
  const [query, setQuery] = createSignal('');
  const [active, setActive] = createSignal(0);
  const names = createNames(query);
  const [sourced, setSourced] = createSignal<readonly Command[]>([]);
  onMount(async () => setSourced((await sourcedCommands()).map(withAliases)));
  const isTyped = () => query().trim() !== '';
  const found = createMemo(() => [
    ...ranked([...commands(), ...(isTyped() ? sourced() : [])], query()).slice(0, MOST_FOUND),
    ...names(),
    ...searches(query()),
  ]);
  const run = (command: Command | undefined) => {
    if (!command) return;
    props.close();
    command.run();
  };
  const onKey = (event: KeyboardEvent) => {
    const count = Math.max(1, found().length);
    if (event.key === 'ArrowDown') setActive((active() + 1) % count);
    else if (event.key === 'ArrowUp') setActive((active() + count - 1) % count);
    else if (event.key === 'Enter') run(found()[active()]);
    else return;
    event.preventDefault();
    event.stopPropagation();
    document
      .querySelector('.palette li[aria-selected="true"]')
      ?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <Modal class="palette" label="Command palette" close={props.close} onKeyDown={onKey}>
      <input
        type="text"
        placeholder="View, command, session, op, scope, source line, or steps such as 3..=8"
        aria-label="Command"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`palette-${active()}`}
        ref={(field) => setTimeout(() => field.focus())}
        value={query()}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setActive(0);
        }}
      />
      <ul role="listbox" id="palette-list" tabindex="-1">
        <For each={found()} fallback={<li class="muted">No matches</li>}>
          {(command, index) => (
            <li
              role="option"
              id={`palette-${index()}`}
              aria-selected={index() === active()}
              onPointerMove={() => setActive(index())}
              onClick={() => run(command)}
            >
              <span class="palette-title">{command.title}</span>
              <span class="palette-detail">
                <Show
                  when={aliasFound(command, query())}
                  fallback={<Prose text={command.detail} />}
                >
                  {(alias) => <>also called {alias()}</>}
                </Show>
              </span>
              <For each={command.keys ?? []}>{(key) => <Keys text={key} />}</For>
              <span class="palette-group">{command.group}</span>
            </li>
          )}
        </For>
      </ul>
    </Modal>
  );
}
