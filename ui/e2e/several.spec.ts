/** Views of several sessions: budgets with a baseline, and scaling. */
import type { Page } from '@playwright/test';

import { expect, keepImage, openView, test } from './server';

interface SessionEntry {
  key: string;
  name: string;
  location: string;
}

async function sessionsAt(page: Page, url: string, folder: string): Promise<SessionEntry[]> {
  const response = await page.request.get(`${url}api/sessions`);
  const { sessions } = (await response.json()) as { sessions: SessionEntry[] };
  return sessions.filter(({ location }) => location.includes(folder));
}

test('broken budgets are listed with their causes', async ({ page, url }) => {
  const [baseline] = await sessionsAt(page, url, 'planted-cpu/base');
  await openView(page, url, 'slower', 'check', `?baseline=${baseline!.key}`);
  await expect(page.locator('.check-answer')).toContainText('breaks 2 of its 3 budgets');
  await expect(page.locator('.check-row.is-broken')).toHaveCount(2);
  await expect(page.locator('.check-causes li').first()).toContainText('extra ops');
  // Nothing overflows its card.
  const card = await page.locator('.card', { has: page.locator('.check-causes') }).boundingBox();
  const cause = await page.locator('.check-causes li').first().boundingBox();
  expect(cause!.x).toBeGreaterThan(card!.x + 12);
  await keepImage(page, 'check');
  await page.getByRole('textbox', { name: 'Budgets' }).fill('step_time<=1s');
  await page.getByRole('button', { name: 'Check', exact: true }).last().click();
  await expect(page).toHaveURL(/budget=/);
  await expect(page.locator('.check-row')).toHaveCount(1);
  await expect(page.locator('.check-row')).toHaveClass(/is-passed/);
});

test('methods with several device counts have curves, the others are listed below', async ({
  page,
  url,
}) => {
  await openView(page, url, 'unitary_grad_lcam', 'scaling');
  await expect(page.locator('.scaling-alone')).toContainText('one device count only');
  const several = await page.locator('.scaling-line').count();
  expect(several).toBeGreaterThan(1);
  await expect(page.locator('.scaling-legend span:has(> i:not(.scaling-dash))')).toHaveCount(several);
  const own = await sessionsAt(page, url, 'scaling-cpu');
  const keys = own.map(({ key }) => key).sort();
  await openView(page, url, 'unitary_grad_lcam', 'scaling', `?sessions=${keys.join(',')}`);
  await expect(page.locator('.scaling-alone')).toHaveCount(0);
  await keepImage(page, 'scaling');
});

test('with one device count, scaling says so and offers a comparison', async ({ page, url }) => {
  const own = await sessionsAt(page, url, 'planted-cpu');
  const keys = own.map(({ key }) => key).sort();
  await openView(page, url, 'slower', 'scaling', `?sessions=${keys.join(',')}`);
  const one = page.locator('.one-only');
  await expect(one).toContainText('so there is no scaling to compare');
  await expect(page.getByRole('group', { name: 'Measure' })).toHaveCount(0);
  await expect(page.getByRole('columnheader', { name: 'Speedup' })).toHaveCount(0);
  await one.getByRole('link', { name: 'Compare two sessions' }).click();
  await expect(page).toHaveURL(/\/compare/);
});

test('a single step is no chart', async ({ page, url }) => {
  const [session] = await sessionsAt(page, url, 'gpu-h100/goal-small');
  for (const view of ['overview', 'steps']) {
    await page.goto(`${url}#/s/${session!.key}/${view}`);
    const one = page.locator('.one-only').first();
    await expect(one).toContainText('there is no other to compare it with');
    await expect(page.locator('.step-chart')).toHaveCount(0);
    await one.getByRole('link').click();
    await expect(page).toHaveURL(/\/timeline\?.*steps=/);
  }
});

test('sessions to compare with are grouped, the most alike first', async ({ page, url }) => {
  for (const name of ['base', 'slower', 'mlp_dp']) await openView(page, url, name, 'overview');
  await openView(page, url, 'slower', 'overview');
  await page.reload();
  await page.locator('.selection .chip', { hasText: 'Baseline' }).getByRole('button').first().click();
  const list = page.locator('.baseline-list');
  await expect(list.locator('.baseline-group').first()).toHaveText('Same program and devices');
  await expect(list.locator('button').first()).toContainText(/^\S+\/.*jit_\w+ · 1 × XLA:CPU/);
  const groups = await list.locator('.baseline-group').allInnerTexts();
  expect(groups.at(-1)).toBe('Other program or devices');
});
