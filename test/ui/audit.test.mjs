// SPDX-License-Identifier: Apache-2.0
//
// The audit log: entries, filters, new ones, verification, damaged rows.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';
import { queueSchedule, trigger } from './work.mjs';

const { test } = suite();

const rows = (page) => page.locator('.audit-row:not(.vhead)');

test('a change has an entry: who, what, and the result', async ({ visit, api }) => {
    await queueSchedule(api, 'changed');
    const page = await visit('/audit?object=changed');
    const text = await rows(page).first().innerText();
    for (const part of ['local', '127.0.0.1', 'schedule.put', 'changed', 'v1', 'done'])
        assert.ok(text.includes(part), `${part} in ${text}`);
});

test('filters are in the address', async ({ visit, api }) => {
    await queueSchedule(api, 'filtered');
    await trigger(api, 'filtered');
    const page = await visit('/audit?object=filtered');
    await page.getByText('2 entries, all shown').waitFor();
    await page.getByLabel('Operation').fill('schedule.trigger');
    await page.keyboard.press('Enter');
    await page.getByText('1 entry, all shown').waitFor();
    assert.match(page.url(), /operation=schedule.trigger/);
});

test('new entries are counted until somebody asks', async ({ visit, api }) => {
    await queueSchedule(api, 'fresh');
    const page = await visit('/audit?object=fresh');
    await page.getByText('1 entry, all shown').waitFor();
    await trigger(api, 'fresh');
    await page.getByRole('button', { name: '1 new entry: show' }).click();
    await page.getByText('2 entries, all shown').waitFor();
});

test('long lists are loaded in pages', async ({ visit, visitor, api }) => {
    await queueSchedule(api, 'long');
    for (let i = 0; i < 149; i++) await trigger(api, 'long');
    const page = await visit('/audit?object=long');
    await page.getByText('100 entries loaded; more follow below').waitFor();
    while (!(await page.getByText('150 entries, all shown').count())) {
        await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
        await visitor.settle();
    }
});

test('Verify reads all chains and says that they are intact', async ({ visit }) => {
    const page = await visit('/audit');
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('dialog').getByText('The hash chains of all nodes are intact', { exact: false }).waitFor();
    assert.match(await page.getByRole('dialog').locator('code').first().innerText(), /^[0-9a-f]{64}$/);
});

test('damaged rows are shown as such', async ({ visit, visitor }) => {
    const entry = {
        at: '2026-01-05T09:00:00.000Z', node: 1, seq: 4, by: null, token: null, from: null, operation: null,
        namespace: null, object: null, result: 'damaged', count: 1, requestId: null,
    };
    const node = { node: 1, name: 'one', entries: 9, to: 9, head: 'f'.repeat(64), broken: 'wrong hash', damaged: [{ seq: 4, reason: 'wrong hash' }] };
    const json = (value) => (route) => route.fulfill({ contentType: 'application/json', body: JSON.stringify(value) });
    await visitor.page.route('**/api/v1/audit?*', json({ entries: [entry], cursor: null }));
    await visitor.page.route('**/api/v1/audit/verify*', json({ intact: false, nodes: [node], cursor: null }));
    const page = await visit('/audit');
    await rows(page).getByText('damaged row').waitFor();
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('The audit log is damaged', { exact: false }).waitFor();
    await page.getByText('Row 4', { exact: false }).waitFor();
});
