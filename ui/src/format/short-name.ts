/** Short forms of the names that are shown together: paths, and names of C++ functions. Pure. */
import { shortCppNames } from './cpp-name';
import { isPathName, shortPaths } from './path-name';

/** The short form of each name that has one; it depends on the others. */
export function shortNames(names: readonly string[]): Map<string, string> {
  // The lambda of `jit(<lambda>)/map/add` is no template.
  const functions = names.filter((name) => !isPathName(name));
  return new Map([...shortPaths(names), ...shortCppNames(functions)]);
}
