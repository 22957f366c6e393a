// SPDX-License-Identifier: Apache-2.0
//
// Backfills of all schedules: their progress as it happens, and how they are stopped.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';

const { test } = suite();

const SLOTS = 6;
const row = (page, id) => page.getByRole('listitem').filter({ hasText: id });

// A paused schedule with a slot each hour, and a backfill of its last slots.
async function backfilled(api, id) {
    const action = { type: 'queue', queue: `of-${id}` };
    await api.send('PUT', `/api/v1/schedules/${id}`, {
        spec: { intervals: [{ every: '1h' }] },
        action,
        paused: true,
    });
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
    await api.post(`/api/v1/schedules/${id}/backfill`, {
        from: new Date(hour - (SLOTS - 1) * 3_600_000).toISOString(),
        to: new Date(hour).toISOString(),
        overlap: 'bufferAll',
    });
}

async function work(api, id, count) {
    for (let i = 0; i < count; i++) {
        const { runs } = await api.post('/api/v1/queues/claim', {
            queues: [`of-${id}`],
            worker: 'w',
            wait: '10s',
        });
        const [{ id: run, fence }] = runs;
        await api.post('/api/v1/runs/complete', { items: [{ id: run, fence }] });
    }
}

test('without backfills, the page says how to start one', async ({ visit }) => {
    const page = await visit('/backfills');
    await page.getByText('There are no backfills.').waitFor();
});

test('progress appears by itself until the end', async ({ visit, api }) => {
    await backfilled(api, 'catching-up');
    const page = await visit('/backfills');
    await row(page, 'catching-up').getByText(`0 of ${SLOTS} slots done`).waitFor();
    await work(api, 'catching-up', 2);
    await row(page, 'catching-up').getByText(`2 of ${SLOTS} slots done`).waitFor();
    await row(page, 'catching-up').getByText('2 succeeded').waitFor();
    await work(api, 'catching-up', SLOTS - 2);
    await row(page, 'catching-up').getByText(`${SLOTS} of ${SLOTS} slots done`).waitFor();
    await row(page, 'catching-up').locator('.badge', { hasText: /ended$/ }).waitFor();
    assert.equal(await row(page, 'catching-up').getByRole('button', { name: /^Stop/ }).count(), 0);
});

test('a backfill is stopped after the page has said what that ends', async ({ visit, api }) => {
    await backfilled(api, 'to-stop');
    await work(api, 'to-stop', 1);
    const page = await visit('/backfills');
    await page.getByRole('button', { name: 'Stop backfill 1 of to-stop' }).click();
    await page.getByRole('dialog').getByText(/will be cancelled/).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await row(page, 'to-stop').locator('.badge', { hasText: /stopping$/ }).waitFor();
    await work(api, 'to-stop', 1); // the run that had begun
    await row(page, 'to-stop').locator('.badge', { hasText: /stopped$/ }).waitFor();
    const { backfills } = await api.get('/api/v1/schedules/to-stop/backfills');
    assert.equal(backfills[0].stopped, true);
});

test('the state filters, and is in the address', async ({ visit, visitor, api }) => {
    await backfilled(api, 'still-running');
    const page = await visit('/backfills?state=running');
    await row(page, 'still-running').waitFor();
    assert.equal(await row(page, 'catching-up').count(), 0);
    await page.getByRole('button', { name: 'Ended' }).click();
    await row(page, 'catching-up').waitFor();
    await visitor.settle();
    assert.match(page.url(), /state=ended/);
    assert.equal(await row(page, 'still-running').count(), 0);
    await page.goBack();
    await row(page, 'still-running').waitFor();
});
