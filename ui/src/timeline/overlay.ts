/** Which step is laid over which one, in the address and in a lane. The step itself is fetched when it is wanted. */
/** Which step is laid over which one. */
export interface Overlay {
  own: number;
  other: number;
  /** Whether the other one is a step of the baseline. */
  isBaseline: boolean;
}

/** `7~9`: step 9 over step 7; `7~b9`: step 9 of the baseline. */
export function formatOverlay(overlay: Overlay | null): string {
  if (!overlay) return '';
  return `${overlay.own}~${overlay.isBaseline ? 'b' : ''}${overlay.other}`;
}

export function parseOverlay(text: string): Overlay | null {
  const match = /^(\d{1,15})~(b?)(\d{1,15})$/.exec(text);
  if (!match) return null;
  return { own: Number(match[1]), other: Number(match[3]), isBaseline: match[2] === 'b' };
}

/** Share of a lane's height, at its foot, that shows the other step. */
const SHARE = 0.36;

/** How far texts of a lane make room for the other step below them. */
export const GHOST_LIFT_PX = 3;

/** How much of a lane shows the other step, in pixels. */
export const ghostHeight = (laneHeight: number): number => Math.round(laneHeight * SHARE);
