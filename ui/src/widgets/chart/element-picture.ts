/**
 * A picture of what is drawn with elements of the page instead of a chart's layers: boxes with a color
 * become rectangles, and texts become texts, where the page has them.
 */
import { surfaceOf, withStyles } from './picture';

const NAMESPACE = 'http://www.w3.org/2000/svg';
const TEXT_STYLES = ['font-family', 'font-size', 'font-weight'];
/** Where letters stand in their line, as a share of its height from the top. */
const BASELINE = 0.76;

export function elementSvg(root: HTMLElement): string {
  const frame = root.getBoundingClientRect();
  const picture = make('svg', { width: frame.width, height: frame.height });
  picture.setAttribute('xmlns', NAMESPACE);
  picture.setAttribute('viewBox', `0 0 ${frame.width} ${frame.height}`);
  picture.append(make('rect', { width: frame.width, height: frame.height, fill: surfaceOf(root) }));
  draw(root, picture, frame);
  return new XMLSerializer().serializeToString(picture);
}

function draw(element: Element, picture: SVGElement, frame: DOMRect): void {
  const box = element.getBoundingClientRect();
  const [x, y] = [box.left - frame.left, box.top - frame.top];
  if (element instanceof SVGSVGElement) {
    const copy = withStyles(element);
    const { width, height } = box;
    for (const [name, value] of Object.entries({ x, y, width, height })) {
      copy.setAttribute(name, String(value));
    }
    picture.append(copy);
    return;
  }
  const style = getComputedStyle(element);
  if (style.visibility === 'hidden' || box.width * box.height === 0) return;
  if (!/, 0\)$|transparent/.test(style.backgroundColor)) {
    const { width, height } = box;
    const [fill, opacity] = [style.backgroundColor, style.opacity];
    picture.append(make('rect', { x, y, width, height, fill, opacity }));
  }
  for (const child of element.childNodes) {
    if (child instanceof Element) draw(child, picture, frame);
    else if (child.textContent?.trim()) picture.append(textAt(child, style, frame));
  }
}

function textAt(node: ChildNode, style: CSSStyleDeclaration, frame: DOMRect): SVGElement {
  const range = document.createRange();
  range.selectNodeContents(node);
  const box = range.getBoundingClientRect();
  const text = make('text', {
    x: box.left - frame.left,
    y: box.top - frame.top + BASELINE * box.height,
    fill: style.color,
    style: TEXT_STYLES.map((name) => `${name}:${style.getPropertyValue(name)}`).join(';'),
  });
  text.textContent = (node.textContent ?? '').trim();
  return text;
}

function make(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}
