/** The address that opens a source line in an editor. Pure. */

/** How source lines are opened. */
export interface EditorChoice {
  /** With `{path}`, which starts with a slash, and `{line}`; empty for no links. */
  template: string;
  /** One mapping per line, `recorded prefix => prefix on this machine`; an empty recorded prefix is for relative paths. */
  mappings: string;
}

export const EDITORS: readonly { title: string; template: string }[] = [
  { title: 'VS Code', template: 'vscode://file{path}:{line}' },
  { title: 'Cursor', template: 'cursor://file{path}:{line}' },
  { title: 'Zed', template: 'zed://file{path}:{line}' },
  { title: 'Sublime Text', template: 'subl://open?url=file://{path}&line={line}' },
  { title: 'No links', template: '' },
];

export const USUAL_EDITOR: EditorChoice = {
  template: EDITORS[0]?.template ?? '',
  mappings: '',
};

/** What is wrong with a template; empty if nothing is. */
export function problemOf(template: string): string {
  if (template === '') return '';
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(template)?.[1]?.toLowerCase();
  if (scheme === undefined) return 'Start with the scheme of the editor, such as vscode://';
  // These run code in the page or load what the page may not.
  if (/^(javascript|data|vbscript|blob|file)$/.test(scheme)) return `${scheme}:// is not an editor`;
  return template.includes('{path}') ? '' : 'Say where {path} goes';
}

/** The link of `path:line`; null if there is no editor or the file's place is unknown. */
export function sourceHref(source: string, choice: EditorChoice): string | null {
  if (choice.template === '' || problemOf(choice.template) !== '') return null;
  const [, recorded = '', line = '1'] = /^(.*?)(?::(\d+))?(?::\d+)?$/.exec(source) ?? [];
  const path = mapped(recorded.replaceAll('\\', '/'), choice.mappings);
  if (path === null) return null;
  const encoded = path.split('/').map(encodeURIComponent).join('/').replace(/^\/([a-z])%3A/i, '/$1:');
  return choice.template.replaceAll('{path}', () => encoded).replaceAll('{line}', line);
}

/** The path on this machine, with a slash at the start; null for a relative one without a mapping. */
function mapped(path: string, mappings: string): string | null {
  const pairs = mappings
    .split('\n')
    .map((each) => /^(.*?)\s*=>\s*(.+)$/.exec(each.trim()))
    .flatMap((match) => (match ? [[(match[1] ?? '').trim(), (match[2] ?? '').trim()] as const] : []))
    .sort(([one], [other]) => other.length - one.length);
  const isRelative = !/^(\/|[a-z]:\/)/i.test(path);
  const pair = pairs.find(([from]) => (from === '' ? isRelative : path.startsWith(from)));
  const found = pair ? joined(pair[1], path.slice(pair[0].length), pair[0]) : path;
  if (/^[a-z]:\//i.test(found)) return `/${found}`;
  return found.startsWith('/') ? found : null;
}

/** The rest of the path below another folder, with one slash between them. */
function joined(folder: string, rest: string, from: string): string {
  const isCutAtSlash = from === '' || from.endsWith('/') || rest.startsWith('/') || rest === '';
  return isCutAtSlash ? `${folder.replace(/\/$/, '')}/${rest.replace(/^\//, '')}` : folder + rest;
}
