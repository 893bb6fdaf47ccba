/** Lines and areas as SVG paths; places are in pixels. Pure. */
import type { Place } from './points';

const short = (value: number) => String(Math.round(value * 100) / 100);

/** A line from point to point, with gaps where points are missing. */
export function linePath(places: readonly (Place | null)[]): string {
  let isOpen = false;
  let path = '';
  for (const place of places) {
    if (place) path += `${isOpen ? 'L' : 'M'}${short(place.x)},${short(place.y)}`;
    isOpen = place !== null;
  }
  return path;
}

/** A stepped line: each value holds until the next, the last one until `endX`, if given. */
export function stepPath(places: readonly Place[], endX?: number): string {
  const path = places
    .map(({ x, y }, index) =>
      index === 0 ? `M${short(x)},${short(y)}` : `H${short(x)}V${short(y)}`,
    )
    .join('');
  return path && endX !== undefined ? `${path}H${short(endX)}` : path;
}

/** The corners of a stepped line, for bands between two of them. */
export function corners(places: readonly Place[]): Place[] {
  return places.flatMap((place, index) => {
    const before = places[index - 1];
    return before ? [{ x: place.x, y: before.y }, place] : [place];
  });
}

/** The area below a line that begins at `startX`. */
export function areaPath(line: string, startX: number, bottom: number): string {
  return line && `${line}V${short(bottom)}H${short(startX)}Z`;
}

/** The area between two lines. */
export function bandPath(above: readonly Place[], below: readonly Place[]): string {
  const path = linePath([...above, ...[...below].reverse()]);
  return path && `${path}Z`;
}
