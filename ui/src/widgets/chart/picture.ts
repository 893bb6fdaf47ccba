/** A chart as a picture: its layers as one SVG with the styles in place, or as a PNG. */

/** What gives an element of a chart its look. */
const STYLES = [
  'fill',
  'fill-opacity',
  'fill-rule',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-opacity',
  'stroke-linejoin',
  'opacity',
  'paint-order',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
  'visibility',
];
const NAMESPACE = 'http://www.w3.org/2000/svg';
/** Pixels of the PNG per pixel of the page, at least. */
const LEAST_RATIO = 2;

/** The chart as a picture that needs nothing from the page. */
export function chartSvg(root: HTMLElement): string {
  const { width, height } = root.getBoundingClientRect();
  const picture = document.createElementNS(NAMESPACE, 'svg');
  picture.setAttribute('xmlns', NAMESPACE);
  picture.setAttribute('width', String(width));
  picture.setAttribute('height', String(height));
  picture.setAttribute('viewBox', `0 0 ${width} ${height}`);
  const back = document.createElementNS(NAMESPACE, 'rect');
  back.setAttribute('width', '100%');
  back.setAttribute('height', '100%');
  back.setAttribute('fill', surfaceOf(root));
  picture.append(back);
  for (const layer of root.children) {
    if (layer instanceof HTMLCanvasElement) picture.append(imageOf(layer, width, height));
    else if (layer instanceof SVGSVGElement) picture.append(withStyles(layer));
  }
  return new XMLSerializer().serializeToString(picture);
}

/** The chart as PNG, with at least two pixels per pixel of the page. */
export async function chartPng(root: HTMLElement, svg = chartSvg(root)): Promise<Blob> {
  const { width, height } = root.getBoundingClientRect();
  const ratio = Math.max(LEAST_RATIO, window.devicePixelRatio || 1);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) =>
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('no picture'))), 'image/png'),
  );
}

function imageOf(canvas: HTMLCanvasElement, width: number, height: number): SVGImageElement {
  const image = document.createElementNS(NAMESPACE, 'image');
  image.setAttribute('href', canvas.toDataURL());
  image.setAttribute('width', String(width));
  image.setAttribute('height', String(height));
  return image;
}

/** A copy whose elements carry the styles that the page's sheets give them. */
export function withStyles(layer: SVGSVGElement): SVGSVGElement {
  const copy = layer.cloneNode(true) as SVGSVGElement;
  const copies = [copy, ...copy.querySelectorAll('*')];
  [layer, ...layer.querySelectorAll('*')].forEach((element, index) => {
    const styles = getComputedStyle(element);
    const text = STYLES.map((name) => `${name}:${styles.getPropertyValue(name)}`).join(';');
    copies[index]?.setAttribute('style', text);
  });
  return copy;
}

/** The color behind the chart. */
export function surfaceOf(root: Element): string {
  for (let at: Element | null = root; at; at = at.parentElement) {
    const color = getComputedStyle(at).backgroundColor;
    if (color && color !== 'transparent' && !/, 0\)$/.test(color)) return color;
  }
  return 'white';
}
