/** Colors of sessions: distinguishable with any color vision, none of them red. */
const COLORS = ['#6f7a89', '#3f7fd0', '#d29a2d', '#8f74d6', '#2f9e83', '#c882a9', '#8a6a45'];

export function sessionColor(index: number): string {
  return COLORS[index % COLORS.length] ?? '#6f7a89';
}
