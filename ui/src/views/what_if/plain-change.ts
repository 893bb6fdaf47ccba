/** Changes as people read them: without the escapes of a pattern that matches one name. Pure. */

/** `remove:^dot\.3$` as `remove:dot.3`. Other patterns, and changes without one, stay as they are. */
export function plainChange(change: string): string {
  const [, before = '', pattern = '', after = ''] =
    /^([a-z-]+:)\^(.*)\$(:[\d.]+)?$/.exec(change) ?? [];
  // Where a special character is not escaped, the pattern matches more than one name.
  const isName = pattern !== '' && !/[.*+?^${}()|[\]]/.test(pattern.replace(/\\./g, ''));
  return isName ? before + pattern.replace(/\\(.)/g, '$1') + after : change;
}
