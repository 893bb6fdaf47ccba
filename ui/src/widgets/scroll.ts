/** Brings a part of the page into view, at once for those who asked for no motion. */
export function scrollToPart(id: string): void {
  const isStill = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  document.getElementById(id)?.scrollIntoView({ behavior: isStill ? 'auto' : 'smooth' });
}
