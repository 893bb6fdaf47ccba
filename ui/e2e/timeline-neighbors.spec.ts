/** Operands and users of the selected op, with their time in its step. */
import { expect, test } from './server';
import { openTimeline } from './timeline-probe';

test('a slice lists the neighbors of its op, and a click goes to one', async ({ page, url }) => {
  await openTimeline(page, url, 'demo', '?slice=1:0:3');
  const name = page.locator('.slice-name');
  await expect(name).toHaveText('add_sqrt_fusion.4');
  const operands = page.getByRole('list', { name: 'Operands' });
  await expect(operands.getByRole('listitem')).toHaveCount(1);
  const operand = operands.getByRole('button');
  await expect(operand).toContainText('ynn_fusion.66');
  await expect(operand).toContainText('f32[8,64]');
  await expect(operand).toContainText(/\d\s(µs|us|ms)/);
  await expect(page.locator('.hlo-neighbors h3').first()).toContainText('time in step 0');
  await operand.click();
  await expect(name).toHaveText('ynn_fusion.66');
  // From there, the first op is a user.
  const users = page.getByRole('list', { name: 'Users' });
  await expect(users.getByRole('button', { name: /add_sqrt_fusion\.4/ })).toBeVisible();
});
