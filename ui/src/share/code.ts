/**
 * The code of the page in a notebook's cell, in few files: `first` shows a timeline, the others are
 * requested like answers when the page first needs one of them. Files have no addresses there, so each
 * becomes a Blob URL of its own. The build writes `stepscope-code:NAME` where a file names another one,
 * and calls `stepscopeCode` for those that load later (`vite.share.config.ts`).
 */
import { send } from '../wire/transport';

declare global {
  /** Loads a file of the page by its name. */
  var stepscopeCode: ((name: string) => Promise<unknown>) | undefined;
}

const NAMES = /stepscope-code:(\w+)/g;

/** The names of the files that this one needs before it runs. */
export const namesIn = (code: string): string[] => [
  ...new Set([...code.matchAll(NAMES)].map(([, name]) => name!)),
];

/** The code with URLs instead of names. */
export const linked = (code: string, urls: ReadonlyMap<string, string>): string =>
  code.replace(NAMES, (mark, name: string) => urls.get(name) ?? mark);

/** Lets the page load its other files; `first` is the URL of the one that runs. */
export function installCode(first: string): void {
  const known = new Map([['first', Promise.resolve(first)]]);
  const urlOf = (name: string): Promise<string> => {
    const url = known.get(name) ?? requested(name);
    known.set(name, url);
    return url;
  };
  const requested = async (name: string) => {
    const answer = await send(`frame/${name}.js`, {});
    if (!answer.ok) throw new Error(`the page's ${name} code is missing: status ${answer.status}`);
    const code = await answer.text();
    const needed = await Promise.all(namesIn(code).map(async (each) => [each, await urlOf(each)] as const));
    const parts = [linked(code, new Map(needed))];
    return URL.createObjectURL(new Blob(parts, { type: 'text/javascript' }));
  };
  globalThis.stepscopeCode = async (name) => {
    const url = urlOf(name);
    // Asked again next time: the kernel may have been busy with something that failed.
    url.catch(() => known.delete(name));
    return import(/* @vite-ignore */ await url);
  };
}
