/** Where a tooltip goes: beside its element, never over it while there is room elsewhere. Pure. */

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

interface Size {
  width: number;
  height: number;
}

const GAP_PX = 6;
const EDGE_PX = 8;

/** Below the element, else above it, else to its right or left; `isBeside` prefers the right. */
export function placeTip(
  anchor: Box,
  tip: Size,
  page: Size,
  isBeside = false,
): { left: number; top: number } {
  const lowest = page.height - tip.height - EDGE_PX;
  const rightmost = page.width - tip.width - EDGE_PX;
  const inside = (at: number, most: number) => Math.max(EDGE_PX, Math.min(at, most));
  const below = { left: inside(anchor.left, rightmost), top: anchor.bottom + GAP_PX };
  const above = { left: below.left, top: anchor.top - tip.height - GAP_PX };
  const right = { left: anchor.right + GAP_PX, top: inside(anchor.top, lowest) };
  const left = { left: anchor.left - tip.width - GAP_PX, top: right.top };
  const fits = ({ left, top }: { left: number; top: number }) =>
    left >= EDGE_PX && left <= rightmost && top >= EDGE_PX && top <= lowest;
  const wanted = isBeside ? [right, left, below, above] : [below, above, right, left];
  return wanted.find(fits) ?? { left: below.left, top: inside(below.top, lowest) };
}
