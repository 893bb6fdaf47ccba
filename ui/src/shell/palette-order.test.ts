import { expect, test } from 'vitest';

import { aliasFound, ranked } from './palette-order';

const command = (title: string, detail = '', group = 'View') => ({ title, detail, group });
const COMMANDS = [
  command('Advice', 'What to change, ranked by time per step'),
  command('Op tree', 'Device time by program'),
  command('Timeline', 'Tracks and what they hold'),
  command('Memory', 'Memory in use over time'),
  command('memory', '', 'Session'),
];
const titles = (query: string) => ranked(COMMANDS, query).map(({ title }) => title);

test('titles that start with the query come before titles that contain it', () => {
  expect(titles('me')).toEqual(['Memory', 'memory', 'Timeline', 'Advice', 'Op tree']);
  expect(titles('tree')).toEqual(['Op tree']);
});

test('every word must match, and an empty query keeps the order', () => {
  expect(titles('memory session')).toEqual(['memory']);
  expect(titles('nothing')).toEqual([]);
  expect(titles('')).toEqual(COMMANDS.map(({ title }) => title));
});

test('the names of other programs find a view, and are told', () => {
  const views = [
    { title: 'Memory', detail: '', group: 'View', aliases: ['memory_profile'] },
    { title: 'Buffers', detail: '', group: 'View', aliases: ['memory_viewer'] },
  ];
  expect(ranked(views, 'memory_viewer').map(({ title }) => title)).toEqual(['Buffers']);
  expect(ranked(views, 'memory').map(({ title }) => title)).toEqual(['Memory', 'Buffers']);
  expect(aliasFound(views[1]!, 'memory_viewer')).toBe('memory_viewer');
  expect(ranked(views, 'memory_viewer@').map(({ title }) => title)).toEqual(['Buffers']);
  expect(aliasFound(views[1]!, 'memory_viewer@')).toBe('memory_viewer');
  expect(aliasFound(views[1]!, 'buff')).toBeUndefined();
});
