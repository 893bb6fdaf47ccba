/** Widths of texts in headers. */
let ruler: CanvasRenderingContext2D | null | undefined;
const widths = new Map<string, number>();

/** Pixels that the text of a header needs. */
export function titleWidth(title: string, unit: string): number {
  const key = `${title}\n${unit}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  ruler ??= document.createElement('canvas').getContext('2d');
  if (!ruler) return 0;
  const family = getComputedStyle(document.documentElement).fontFamily;
  ruler.font = `600 12px ${family}`;
  const titled = ruler.measureText(title).width;
  ruler.font = `12px ${family}`;
  const width = Math.ceil(titled + (unit ? ruler.measureText(unit).width : 0));
  widths.set(key, width);
  return width;
}
