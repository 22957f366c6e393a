// SPDX-License-Identifier: Apache-2.0
//
// Events: in words, live, filtered, held while somebody reads, and older ones on request.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';
import { claim, complete, queueSchedule, trigger, waitFor } from './work.mjs';

const { test } = suite();

const rows = (page) => page.locator('.event-row');
const texts = (page) => page.locator('.event-text').allInnerTexts();

test('events appear as they happen, in words', async ({ visit, api }) => {
    await queueSchedule(api, 'seen');
    const page = await visit('/events?schedule=seen');
    await rows(page).filter({ hasText: 'Schedule created' }).waitFor();
    await trigger(api, 'seen');
    await complete(api, (await claim(api, 'seen'))[0]);
    await rows(page).filter({ hasText: 'Run succeeded' }).waitFor();
    assert.deepEqual(await texts(page), [
        'Run succeeded', 'Attempt 1 started', 'Attempt 1 claimed', 'Run ready', 'Schedule created',
    ]);
});

test('groups of types filter, together with a schedule and a run', async ({ visit, visitor, api }) => {
    await queueSchedule(api, 'grouped');
    const id = await trigger(api, 'grouped');
    await trigger(api, 'grouped');
    const page = await visit('/events?schedule=grouped');
    await page.getByRole('button', { name: 'Schedules', exact: true }).click();
    await waitFor(async () => (await texts(page)).join() === 'Schedule created');
    await page.getByRole('button', { name: 'Runs', exact: true }).click();
    await waitFor(async () => (await rows(page).count()) === 3);
    await page.getByLabel('Run id', { exact: true }).fill(id);
    await page.keyboard.press('Enter');
    await waitFor(async () => (await rows(page).count()) === 1);
    await page.goBack();
    await visitor.settle();
    assert.equal(await rows(page).count(), 3);
});

test('Pause holds new events back and counts them, Continue shows them', async ({ visit, api }) => {
    await queueSchedule(api, 'held-back');
    const page = await visit('/events?schedule=held-back');
    await rows(page).filter({ hasText: 'Schedule created' }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await trigger(api, 'held-back');
    await page.getByRole('button', { name: '1 new event: show' }).waitFor();
    assert.equal(await rows(page).count(), 1);
    await page.getByRole('button', { name: 'Continue' }).click();
    await waitFor(async () => (await rows(page).count()) === 2);
});

test('an event is shown as JSON', async ({ visit, api }) => {
    await queueSchedule(api, 'raw');
    const page = await visit('/events?schedule=raw');
    await rows(page).getByRole('button', { name: 'Show the event as JSON' }).click();
    await page.getByRole('dialog').getByText('"schedule.created"').waitFor();
});

test('older events are loaded on request, down to the oldest', async ({ visit, visitor, api }) => {
    await queueSchedule(api, 'busy');
    for (let i = 0; i < 450; i++) await trigger(api, 'busy');
    const page = await visit('/events');
    const label = page.getByText(/^\d+ events since/);
    const before = parseInt(await label.innerText(), 10);
    await page.getByRole('button', { name: 'Load older events' }).click();
    await visitor.settle();
    assert.ok(parseInt(await label.innerText(), 10) > before);
    while (await page.getByRole('button', { name: 'Load older events' }).count()) {
        await page.getByRole('button', { name: 'Load older events' }).click();
        await visitor.settle();
    }
    await page.getByText('These are the oldest events that the server keeps.').waitFor();
    assert.ok((await rows(page).count()) < 80);
});
