// SPDX-License-Identifier: Apache-2.0
//
// Gates: open and waiting runs, limits, creation and deletion.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';
import { claim, complete, queueSchedule, trigger } from './work.mjs';

const { test } = suite();

const rowOf = (page, name) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });

test('a gate shows its open and waiting runs, live', async ({ visit, api }) => {
    await queueSchedule(api, 'ledger', { policies: { concurrency: { key: 'books', limit: 1 } } });
    await trigger(api, 'ledger');
    await trigger(api, 'ledger');
    const [run] = await claim(api, 'ledger', 'worker-1', 2);
    const page = await visit('/gates');
    await rowOf(page, 'books').getByRole('cell', { name: '1 of 1' }).waitFor();
    await rowOf(page, 'books').getByRole('cell', { name: '1', exact: true }).waitFor();
    await complete(api, run);
    await rowOf(page, 'books').getByRole('cell', { name: '0 of 1' }).waitFor();
});

test('Limit changes the limit, and a wrong one is refused', async ({ visit, api }) => {
    await api.send('PUT', '/api/v1/gates/wide', { limit: 2 });
    const page = await visit('/gates');
    await rowOf(page, 'wide').getByRole('button', { name: 'Limit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Limit').fill('0');
    await dialog.getByRole('button', { name: 'Set the limit' }).click();
    assert.equal(await dialog.getByLabel('Limit').evaluate((input) => input.validity.valid), false);
    await dialog.getByLabel('Limit').fill('9');
    await dialog.getByRole('button', { name: 'Set the limit' }).click();
    await rowOf(page, 'wide').getByRole('cell', { name: '0 of 9' }).waitFor();
    assert.equal((await api.get('/api/v1/gates/wide')).limit, 9);
});

test('New gate creates one, Delete removes it', async ({ visit, api }) => {
    const page = await visit('/gates');
    await page.getByRole('button', { name: 'New gate' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('short-lived');
    await page.getByRole('dialog').getByLabel('Limit').fill('3');
    await page.getByRole('dialog').getByRole('button', { name: 'Create the gate' }).click();
    await rowOf(page, 'short-lived').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the gate' }).click();
    await rowOf(page, 'short-lived').waitFor({ state: 'detached' });
    await api.send('GET', '/api/v1/gates/short-lived', undefined, 404);
});

test('a gate in use is not deleted, and the dialog says why', async ({ visit, visitor, api }) => {
    await queueSchedule(api, 'user', { policies: { concurrency: { key: 'used', limit: 1 } } });
    visitor.allow(/409 \(Conflict\)/);
    const page = await visit('/gates');
    await rowOf(page, 'used').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the gate' }).click();
    await page.getByRole('dialog').getByRole('alert').getByText('"user"', { exact: false }).waitFor();
});
