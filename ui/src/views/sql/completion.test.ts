import { expect, test } from 'vitest';

import { offersAt } from './completion';
import { definedIn, isInText, tablesIn } from './tables-in';

const column = (key: string, unit = 'ps') => ({ key, unit, meaning: `the ${key}` });
const SCHEMA = {
  tables: [
    { name: 'ops', meaning: 'Every op', columns: [column('session', 'text'), column('self_ps')] },
    { name: 'graph_edges', meaning: '', columns: [column('session', 'text'), column('from', 'text')] },
  ],
  views: [{ name: 'step_times', meaning: '', query: 'select 1', columns: [column('duration_ps')] }],
  functions: [{ signature: 'ms(ps)', meaning: 'A time in milliseconds' }],
};

/** What is offered at `|`. */
function offered(text: string, kind?: string): string[] | null {
  const at = text.indexOf('|');
  const found = offersAt(SCHEMA, text.replace('|', ''), at);
  return found && found.offers.filter((each) => !kind || each.kind === kind).map(({ label }) => label);
}

test('after from and join come tables and views', () => {
  expect(offered('select * from |')).toEqual(['step_times', 'ops', 'graph_edges']);
  expect(offered('select * from ops o join st|')).toEqual(['step_times', 'ops', 'graph_edges']);
});

test('columns are those of the tables of the query, also before they are named', () => {
  expect(offered('select | from ops', 'column')).toEqual(['session', 'self_ps']);
  expect(offered("select | from ops('by=device') o, step_times", 'column')).toEqual([
    'session',
    'self_ps',
    'duration_ps',
  ]);
  expect(offered('select |', 'column')).toEqual([]);
});

test('an alias has the columns of its table, a table its own', () => {
  expect(offered('select o.| from ops o')).toEqual(['session', 'self_ps']);
  expect(offered('select step_times.d| from ops o')).toEqual(['duration_ps']);
  expect(offered('select x.| from ops o')).toEqual([]);
  expect(offered('select | from ops as o', 'alias')).toEqual(['o']);
});

test('a column that is a keyword is written in quotes', () => {
  const found = offersAt(SCHEMA, 'select fr from graph_edges', 9);
  expect(found?.offers.find(({ label, kind }) => label === 'from' && kind === 'column')?.apply).toBe('"from"');
});

test('functions and keywords are offered', () => {
  expect(offered('select m| from ops', 'function')).toContain('ms');
  expect(offered('select * from ops wh|', 'keyword')).toContain('where');
});

test('nothing is offered in texts, comments and numbers', () => {
  expect(offered("select 'se|' from ops")).toBeNull();
  expect(offered('select 1 -- se| from ops')).toBeNull();
  expect(offered('select 12| from ops')).toBeNull();
  expect(isInText("'it''s' ", 8)).toBe(false);
  expect(isInText("'it''s", 6)).toBe(true);
});

test('tables of a query, with aliases, subqueries and names that it defines', () => {
  expect(tablesIn('select 1 from ops a, steps b join slices on true where x')).toEqual([
    { table: 'ops', alias: 'a' },
    { table: 'steps', alias: 'b' },
    { table: 'slices', alias: null },
  ]);
  expect(tablesIn("select (select 1 from a) from /* from x */ b as c -- from d")).toEqual([
    { table: 'a', alias: null },
    { table: 'b', alias: 'c' },
  ]);
  expect(definedIn('with a as (select 1), b as (select 2) select * from a')).toEqual(['a', 'b']);
  expect(offered('with slow as (select 1) select * from |')).toContain('slow');
});
