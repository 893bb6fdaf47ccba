/** Changes as people read them: without the escapes of a pattern that matches one name. Pure. */
import { CAUSES, meaningOf } from '../../format/causes';

/** Matches the number in the name of a program, which differs from run to run. */
const ANY_NUMBER = /\\\(\\d\+\\\)::/;

/** `remove:^dot\.3$` as `remove:dot.3`. Other patterns, and changes without one, stay as they are. */
export function plainChange(change: string): string {
  const [, before = '', pattern = '', after = ''] =
    /^([a-z-]+:)\^(.*)\$(:[\d.]+)?$/.exec(change) ?? [];
  const named = pattern.replace(ANY_NUMBER, '\\(…\\)::');
  // Where a special character is not escaped, or `\d` stands for any, more than one name matches.
  const isName =
    named !== '' && !/[.*+?^${}()|[\]]|\\\w/.test(named.replace(/\\\W/g, ''));
  return isName ? before + named.replace(/\\(.)/g, '$1') + after : change;
}

/** An op of one program, such as `jit_f(12)::dot.3`; names in C++ have no number in parentheses. */
const OF_PROGRAM = /^([^:]+?)(\(\d+\)|\(…\))::(.+)$/;

/** Whether a pattern stayed one. */
const PATTERN = /^\^.*\$$/;

/** The name in a change: `dot.3` of `remove:^dot\\.3$`; empty without one, or with that of a program. */
export function nameIn(change: string): string {
  const [, name = ''] = /^(?:remove|hide|scale|expected):(.*?)(?::[\d.]+)?$/.exec(plainChange(change)) ?? [];
  return OF_PROGRAM.test(name) || PATTERN.test(name) ? '' : name;
}

const WORDS: Record<string, string> = {
  overlap: 'Overlap collectives',
  align: 'Devices arrive together',
  'no-input-wait': 'No input wait',
  'no-waits': 'Hosts never wait',
  'no-launch-gaps': 'No launch gaps',
};

/** Changes in words: `hide:collectives` as `Hide collectives`. What is unknown stays as it is. */
export function changeWords(changes: string): string {
  // `;` separates changes, which names do not contain.
  return changes.split(';').map((change) => oneInWords(change.trim())).join('; ');
}

function oneInWords(change: string): string {
  const [, verb = '', given = ''] = /^([a-z-]+):?(.*)$/.exec(plainChange(change)) ?? [];
  const rest = given.replace(
    OF_PROGRAM,
    (_, program: string, number: string, op: string) =>
      `${op} of ${program}${number === '(…)' ? '' : number}`,
  );
  const [, ops = rest, factor = ''] = /^(.*):([\d.]+)$/.exec(rest) ?? [];
  if (rest === '') return WORDS[verb] ?? change;
  if (verb === 'remove') return `Without ${rest}`;
  if (verb === 'hide') return `Hide ${rest}`;
  if (verb === 'expected') return `Expected time of ${rest}`;
  if (verb === 'scale' && factor !== '') return `${ops} × ${factor}`;
  if (verb === 'network') return `Network ${rest}× as fast`;
  if (verb === 'no-host') return `No ${causeInSentence(rest)} on hosts`;
  return change;
}

/** The title of a cause as it reads within a sentence. */
function causeInSentence(cause: string): string {
  const { title } = meaningOf(CAUSES, cause);
  return title === 'Python' ? title : title.charAt(0).toLowerCase() + title.slice(1);
}
