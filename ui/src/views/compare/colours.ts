/** Colours of sessions: hues that any colour vision tells apart, none of them red. */
const COLOURS = ['#6f7a89', '#3f7fd0', '#d29a2d', '#8f74d6', '#2f9e83', '#c882a9', '#8a6a45'];

export function sessionColour(index: number): string {
  return COLOURS[index % COLOURS.length] ?? '#6f7a89';
}
