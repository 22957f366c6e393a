// SPDX-License-Identifier: Apache-2.0
//
// Queues: depth, age, limits, pauses, and the workers that hold runs.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';
import { claim, complete, queueSchedule, trigger } from './work.mjs';

const { test } = suite();

const rowOf = (page, name) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) });
const queueOf = (api, name) => api.get(`/api/v1/queues/${name}`);

test('without queues, the page says how one appears', async ({ visit }) => {
    const page = await visit('/queues');
    await page.getByText('No queue yet.').waitFor();
});

test('a queue shows how many runs wait, live, and which worker holds runs', async ({ visit, api }) => {
    await queueSchedule(api, 'mail');
    await trigger(api, 'mail');
    const page = await visit('/queues');
    const row = rowOf(page, 'mail');
    await row.getByRole('cell', { name: '1', exact: true }).waitFor();
    const id = await trigger(api, 'mail');
    await row.getByRole('cell', { name: '2', exact: true }).waitFor();
    const runs = await claim(api, 'mail', 'host-4', 2);
    const workers = page.getByRole('region', { name: 'Table of workers' });
    await workers.getByText('host-4').waitFor();
    assert.match(await workers.innerText(), /mail\s+2/);
    for (const run of runs) await complete(api, run);
    await page.getByText('No worker holds a run of a queue now.', { exact: false }).waitFor();
    assert.ok(runs.some((run) => run.id === id));
});

test('the number of waiting runs leads to them', async ({ visit, api }) => {
    await queueSchedule(api, 'linked');
    await trigger(api, 'linked');
    const page = await visit('/queues');
    await rowOf(page, 'linked').getByRole('link', { name: '1' }).click();
    await page.getByText('1 run, all shown').waitFor();
    assert.match(page.url(), /queue=linked/);
});

test('Limit sets and removes the limit', async ({ visit, api }) => {
    await queueSchedule(api, 'limited');
    await trigger(api, 'limited');
    const page = await visit('/queues');
    for (const [text, value] of [['4', 4], ['', null]]) {
        await rowOf(page, 'limited').getByRole('button', { name: 'Limit' }).click();
        await page.getByRole('dialog').getByLabel('Limit').fill(text);
        await page.getByRole('dialog').getByRole('button', { name: 'Set the limit' }).click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        assert.equal((await queueOf(api, 'limited')).limit, value);
    }
});

test('Pause asks, and Resume undoes it', async ({ visit, api }) => {
    await queueSchedule(api, 'paused-one');
    await trigger(api, 'paused-one');
    const page = await visit('/queues');
    await rowOf(page, 'paused-one').getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByText('1 run waits now', { exact: false }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause the queue' }).click();
    await rowOf(page, 'paused-one').getByRole('button', { name: 'Resume' }).waitFor();
    assert.equal((await queueOf(api, 'paused-one')).paused, true);
    await rowOf(page, 'paused-one').getByRole('button', { name: 'Resume' }).click();
    await rowOf(page, 'paused-one').getByRole('button', { name: 'Pause' }).waitFor();
    assert.equal((await queueOf(api, 'paused-one')).paused, false);
});

test('New queue creates one with a limit', async ({ visit, api }) => {
    const page = await visit('/queues');
    await page.getByRole('button', { name: 'New queue' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('fresh');
    await page.getByRole('dialog').getByLabel('Limit').fill('7');
    await page.getByRole('dialog').getByRole('button', { name: 'Create the queue' }).click();
    await rowOf(page, 'fresh').waitFor();
    assert.equal((await queueOf(api, 'fresh')).limit, 7);
});
