/** Patterns that readers type: regular expressions, or plain text if they are not valid. */

/** The pattern of a text; null if it is empty. An invalid expression is searched for as it is. */
export function patternOf(text: string, flags: string): RegExp | null {
  if (!text) return null;
  try {
    return new RegExp(text, flags);
  } catch {
    return new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), flags);
  }
}

/** What to say about an expression that is not valid; empty if it is. */
export function patternProblem(text: string): string {
  try {
    new RegExp(text);
    return '';
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*\/[a-z]*: /s, '') : '';
    const because = reason ? ` (${reason.toLowerCase()})` : '';
    return `Not a valid regular expression${because}: searching for the text as it is.`;
  }
}
