import { expect, test } from 'vitest';

import { escapeRegex, headed, sentence, shellQuote, splitForMiddle, truncateMiddle } from './text';

test('truncateMiddle keeps both ends and the limit', () => {
  const name = 'loop_convert_multiply_reduce_fusion.clone.remat.1234';
  for (const limit of [1, 2, 5, 20, 40, name.length - 1]) {
    expect(truncateMiddle(name, limit)).toHaveLength(limit);
  }
  expect(truncateMiddle(name, name.length)).toBe(name);
  expect(truncateMiddle(name, 30).startsWith('loop_convert')).toBe(true);
  expect(truncateMiddle(name, 30).endsWith('remat.1234')).toBe(true);
});

test('splitForMiddle loses nothing', () => {
  for (const name of ['dot.3', 'a'.repeat(29), 'fusion'.repeat(20)]) {
    expect(splitForMiddle(name).join('')).toBe(name);
  }
});

test('a long message has a heading and details', () => {
  const long =
    'host-0 is not an XSpace profile: 5000 bytes of another format, or damaged from the first byte: a/b.pb';
  expect(headed(long)).toEqual({
    heading: 'host-0 is not an XSpace profile',
    rest: '5000 bytes of another format, or damaged from the first byte: a/b.pb',
  });
  expect(headed('no session: 4')).toEqual({ heading: 'No session: 4', rest: '' });
  const plain = 'a message without details '.repeat(5);
  expect(headed(plain).rest).toBe('');
});

test('shellQuote', () => {
  expect(shellQuote('3..8')).toBe('3..8');
  expect(shellQuote('/tmp/my run')).toBe("'/tmp/my run'");
  expect(shellQuote("it's")).toBe("'it'\\''s'");
  expect(shellQuote('dot|fusion')).toBe("'dot|fusion'");
});

test('escapeRegex matches the text itself', () => {
  const text = 'jit(f)/a+b[0].c^$|{1}\\';
  expect(new RegExp(`^${escapeRegex(text)}$`).test(text)).toBe(true);
});

test('a message becomes a heading, unless it starts with a name', () => {
  expect(sentence('a memory profile holds no events')).toBe('A memory profile holds no events');
  expect(sentence('--steps 9 matches nothing')).toBe('Steps 9 matches nothing');
  expect(sentence('host_0.xplane.pb is damaged')).toBe('host_0.xplane.pb is damaged');
});
