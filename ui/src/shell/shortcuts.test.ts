import { expect, test } from 'vitest';

import { handleKey, keyOf, registerShortcut, shortcuts } from './shortcuts';

/** The fields of a keyboard event that the code reads. */
function press(key: string, changes: Partial<KeyboardEvent> = {}): KeyboardEvent {
  const event = {
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    target: null,
    isComposing: false,
    defaultPrevented: false,
    preventDefault() {
      (event as { defaultPrevented: boolean }).defaultPrevented = true;
    },
    ...changes,
  } as unknown as KeyboardEvent;
  return event;
}

test('keys are named as in the registry', () => {
  expect(keyOf(press('k', { ctrlKey: true }))).toBe('Ctrl+k');
  expect(keyOf(press('M', { shiftKey: true }))).toBe('Shift+m');
  expect(keyOf(press('?', { shiftKey: true }))).toBe('?');
  expect(keyOf(press('ArrowLeft', { shiftKey: true }))).toBe('Shift+ArrowLeft');
});

test('the newest handler of a key runs; one that declines passes it on', () => {
  const ran: string[] = [];
  const undo = [
    registerShortcut({ keys: ['x'], group: 'G', label: 'old', run: () => void ran.push('old') }),
    registerShortcut({
      keys: ['x'],
      group: 'G',
      label: 'new',
      run: () => {
        ran.push('new');
        return false;
      },
    }),
  ];
  const event = press('x');
  handleKey(event);
  expect(ran).toEqual(['new', 'old']);
  expect(event.defaultPrevented).toBe(true);
  for (const unregister of undo) unregister();
  expect(shortcuts()).toEqual([]);
});
