// SPDX-License-Identifier: Apache-2.0
//
// The list of runs: filters, live changes without jumps, cancel, retry, and approval of many.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';
import { claim, complete, fail, queueSchedule, trigger, waitFor } from './work.mjs';

const { test } = suite();

const rows = (page) => page.locator('.vrow:not(.vhead)');
const rowOf = (page, name) => rows(page).filter({ has: page.getByRole('link', { name, exact: true }) });
const stateOf = async (api, id) => (await api.get(`/api/v1/runs/${id}?fields=state,outcome`)).state;

test('without runs, the list says when one appears', async ({ visit }) => {
    const page = await visit('/runs');
    await page.getByText('No run yet.').waitFor();
});

test('a row tells state, times, lateness, attempt, queue and worker', async ({ visit, api }) => {
    await queueSchedule(api, 'told');
    await trigger(api, 'told', { scheduledTime: '2026-01-05T09:00:00Z' });
    const [run] = await claim(api, 'told', 'host-7');
    await fail(api, run, 'the disk is full');
    const page = await visit('/runs');
    const text = await rowOf(page, 'told').innerText();
    for (const part of ['failed', 'trigger', 'the disk is full', 'host-7', 'told'])
        assert.ok(text.includes(part), `${part} in ${text}`);
    const slot = rowOf(page, 'told').locator('.run-slot time');
    assert.equal(await slot.getAttribute('datetime'), '2026-01-05T09:00:00.000Z');
});

test('filters are in the address, and Back undoes them', async ({ visit, visitor, api }) => {
    await queueSchedule(api, 'filtered-a');
    await queueSchedule(api, 'filtered-b');
    await trigger(api, 'filtered-a');
    await trigger(api, 'filtered-b');
    const page = await visit('/runs');
    await page.getByRole('searchbox', { name: 'Schedule', exact: true }).fill('filtered-a');
    await page.keyboard.press('Enter');
    await page.getByText('1 run, all shown').waitFor();
    assert.match(page.url(), /schedule=filtered-a/);
    await page.getByRole('button', { name: 'Failed' }).click();
    await page.getByText('No run matches these filters.').waitFor();
    await page.goBack();
    await visitor.settle();
    assert.equal(await rowOf(page, 'filtered-a').count(), 1);
    await page.reload();
    await page.getByText('1 run, all shown').waitFor();
});

test('rows change in place, new runs are counted until somebody asks', async ({ visit, api }) => {
    await queueSchedule(api, 'lively');
    const first = await trigger(api, 'lively');
    const page = await visit('/runs?schedule=lively');
    const row = rows(page).first();
    assert.match(await row.innerText(), /ready/);
    const [claimed] = await claim(api, 'lively');
    assert.equal(claimed.id, first);
    await complete(api, claimed);
    await row.getByText('succeeded').waitFor();
    await trigger(api, 'lively');
    await page.getByRole('button', { name: '1 new run: show' }).waitFor();
    assert.equal(await rows(page).count(), 1);
    await page.getByRole('button', { name: '1 new run: show' }).click();
    await waitFor(async () => (await rows(page).count()) === 2);
});

test('Cancel asks, then ends a waiting run', async ({ visit, api }) => {
    await queueSchedule(api, 'cancelled');
    const id = await trigger(api, 'cancelled');
    const page = await visit('/runs?schedule=cancelled');
    await rowOf(page, 'cancelled').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
    await rowOf(page, 'cancelled').getByText('cancelled', { exact: false }).first().waitFor();
    assert.equal(await stateOf(api, id), 'ended');
});

test('Retry starts a new run for the same slot', async ({ visit, api }) => {
    await queueSchedule(api, 'retried');
    await trigger(api, 'retried', { scheduledTime: '2026-02-01T00:00:00Z' });
    const [run] = await claim(api, 'retried');
    await fail(api, run);
    const page = await visit('/runs?schedule=retried');
    await rowOf(page, 'retried').getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Start a new run' }).click();
    const { runs } = await waitFor(async () => {
        const found = await api.get('/api/v1/runs?schedule=retried&state=open');
        return found.runs.length > 0 && found;
    });
    assert.equal(runs[0].slot, '2026-02-01T00:00:00.000Z');
});

test('many runs are approved at once, with their number and a reason', async ({ visit, api }) => {
    await queueSchedule(api, 'gated', { policies: { approval: true } });
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push(await trigger(api, 'gated'));
    const page = await visit('/runs');
    await page.getByRole('button', { name: 'Waiting for approval' }).click();
    await page.getByRole('button', { name: 'Choose all 3' }).click();
    await page.getByRole('button', { name: 'Approve 3' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('3 runs of 1 schedule wait for approval.').waitFor();
    await dialog.getByLabel('Reason').fill('checked');
    await dialog.getByRole('button', { name: 'Approve 3 runs' }).click();
    await dialog.waitFor({ state: 'detached' });
    for (const id of ids) assert.equal(await stateOf(api, id), 'ready');
    const { lines } = await api.get(`/api/v1/runs/${ids[0]}/logs`);
    assert.match(lines[0].text, /checked/);
});

test('chosen runs are rejected, others stay', async ({ visit, api }) => {
    await queueSchedule(api, 'refused', { policies: { approval: true } });
    const ids = [await trigger(api, 'refused'), await trigger(api, 'refused')];
    const page = await visit('/runs?state=approval&schedule=refused');
    await rows(page).first().getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Reject 1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reject 1 run' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const states = await Promise.all(ids.map((id) => stateOf(api, id)));
    assert.deepEqual(states.sort(), ['approval', 'ended']);
});

test('a long list is loaded in pages while scrolling', async ({ visit, visitor, api }) => {
    await queueSchedule(api, 'many');
    for (let i = 0; i < 250; i++) await trigger(api, 'many');
    const page = await visit('/runs?schedule=many');
    await page.getByText('100 runs loaded; more follow below').waitFor();
    while (!(await page.getByText('250 runs, all shown').count())) {
        await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
        await visitor.settle();
    }
    assert.ok((await rows(page).count()) < 60);
});
