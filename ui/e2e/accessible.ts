/** What axe-core finds on a page. */
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** The rules that depend on the color scheme. All others are the same in light and in dark. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** Runs all rules on the page, or those of colors, and returns a line per element that breaks one. */
export async function violations(page: Page, what: string, rules: 'all' | 'colors' = 'all'): Promise<string[]> {
  // Elements that pass would be described as well, which takes a third of the time.
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] });
  const { violations: found } = await (rules === 'all' ? axe : axe.withRules(COLOR_RULES)).analyze();
  return found.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map((node) => `${what}: ${id}: ${node.target.join(' ')}: ${node.html.slice(0, 160)}`),
  );
}
