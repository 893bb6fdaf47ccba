/** A frame of a source stack, as the server writes it: `file:line:column function`. */
export interface StackFrame {
  /** `file:line:column`, or all of it if there is no line. */
  source: string;
  name: string;
}

/** Divides a frame; the path may have spaces, and the column may be missing. */
export function frameOf(text: string): StackFrame {
  const match = /^(.*?:\d+(?::\d+)?)(?: (.*))?$/s.exec(text);
  return match ? { source: match[1]!, name: match[2] ?? '' } : { source: text, name: '' };
}
