/** Scrolls to a part of the page, without animation if the user prefers reduced motion. */
export function scrollToPart(id: string): void {
  const isStill = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  document.getElementById(id)?.scrollIntoView({ behavior: isStill ? 'auto' : 'smooth' });
}
