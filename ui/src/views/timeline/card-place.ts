/** Where a card next to the pointer goes, so that all of it can be read. Pure. */

/** As wide as a card may be; narrower windows leave less. */
const WIDTH = 340;
const GAP = 14;
/** Kept free at the edges of narrow windows. */
const MARGIN = 8;
/** Height for which there must be room below the pointer. */
const ROOM_PX = 150;

export interface CardPlace {
  left: string;
  right: string;
  top: string;
  bottom: string;
}

/** At the right of the pointer and below it; at the left or above it where there is no room. */
export function cardPlace(
  { x, y }: { x: number; y: number },
  { innerWidth, innerHeight }: { innerWidth: number; innerHeight: number },
): CardPlace {
  const isLeft = x + GAP + WIDTH > innerWidth;
  const isAbove = y + ROOM_PX > innerHeight;
  // With no room on either side, it is over the pointer's column, but within the window.
  const isNarrow = isLeft && x - GAP - WIDTH < MARGIN;
  const width = Math.min(WIDTH, innerWidth - 2 * MARGIN);
  const inside = Math.max(MARGIN, Math.min(x + GAP, innerWidth - width - MARGIN));
  const left = isNarrow ? inside : x + GAP;
  return {
    left: isLeft && !isNarrow ? 'auto' : `${left}px`,
    right: isLeft && !isNarrow ? `${innerWidth - x + GAP}px` : 'auto',
    top: isAbove ? 'auto' : `${y + GAP}px`,
    bottom: isAbove ? `${innerHeight - y + GAP}px` : 'auto',
  };
}
