import { expect, test } from 'vitest';

import { problemOf, sourceHref, USUAL_EDITOR } from './source-link';

const link = (source: string, mappings = '', template = USUAL_EDITOR.template) =>
  sourceHref(source, { template, mappings });

test('a source line opens in the editor', () => {
  expect(link('/home/me/train.py:12')).toBe('vscode://file/home/me/train.py:12');
  expect(link('/home/me/train.py')).toBe('vscode://file/home/me/train.py:1');
  expect(link('/home/me/train.py:12:7')).toBe('vscode://file/home/me/train.py:12');
  expect(link('C:\\me\\train.py:3')).toBe('vscode://file/C:/me/train.py:3');
  expect(link('/a b/x#?.py:1')).toBe('vscode://file/a%20b/x%23%3F.py:1');
});

test('recorded paths are mapped to those of this machine, the longest prefix first', () => {
  const mappings = '/app => /home/me/project\n/app/lib => /opt/lib\n=> /home/me/here';
  expect(link('/app/train.py:1', mappings)).toBe('vscode://file/home/me/project/train.py:1');
  expect(link('/app/lib/x.py:2', mappings)).toBe('vscode://file/opt/lib/x.py:2');
  expect(link('model.py:3', mappings)).toBe('vscode://file/home/me/here/model.py:3');
  expect(link('model.py:3')).toBeNull();
});

test('no template, no link; and none that runs code', () => {
  expect(link('/a.py:1', '', '')).toBeNull();
  expect(link('/a.py:1', '', 'javascript://{path}')).toBeNull();
  expect(link('/a.py:1', '', 'vscode://file')).toBeNull();
  expect(problemOf('vscode:/x')).toContain('scheme');
  expect(problemOf('idea://open?file={path}&line={line}')).toBe('');
  // A dollar in a path is not a pattern.
  expect(link('/a$&b.py:1')).toBe('vscode://file/a%24%26b.py:1');
});
