// SPDX-License-Identifier: Apache-2.0
//
// Clock changes: which schedules they affect, in the words of the server.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';

const { test } = suite();

const queue = (id, cron, timezone) => ({
    id,
    spec: { cron: [cron], timezone },
    action: { type: 'queue', queue: 'q' },
});
const section = (page, zone) => page.getByRole('region', { name: zone });

// The catalogue has heard of a change when the list by time zones has it.
async function put(api, document) {
    await api.send('PUT', `/api/v1/schedules/${document.id}`, document);
    const path = `/api/v1/schedules?sort=nextAt&search=${document.id}`;
    while ((await api.get(path)).schedules.length === 0);
}

test('without clock changes, the page says what it is for', async ({ visit, api }) => {
    await put(api, queue('utc', '0 0 * * *', 'UTC'));
    const page = await visit('/clock');
    await page.getByText('No clock change within 1 year').waitFor();
    await page.getByText('Zones without daylight saving time').waitFor();
});

test('the next change of each zone, in the order of time', async ({ visit, api }) => {
    await put(api, queue('berlin', '30 2 * * *', 'Europe/Berlin'));
    await put(api, queue('berlin-noon', '0 12 * * *', 'Europe/Berlin'));
    await put(api, queue('new-york', '15 2 * * *', 'America/New_York'));
    const { changes } = await api.get('/api/v1/clock-changes');
    const page = await visit('/clock');
    await section(page, 'Europe/Berlin').waitFor();
    const shown = await page
        .locator('.clock-change')
        .evaluateAll((list) => list.map((one) => one.ariaLabel.split(',')[0]));
    assert.deepEqual(
        shown,
        changes.map(({ timezone }) => timezone),
    );
    const berlin = section(page, 'Europe/Berlin');
    await berlin.getByText('2 schedules in this zone').waitFor();
    await berlin.getByText('1 affected').waitFor();
    const { text } = changes.find(({ timezone }) => timezone === 'Europe/Berlin').affected[0];
    await berlin.getByText(text).waitFor();
    assert.equal(await berlin.getByText('berlin-noon').count(), 0);
});

test('one zone, every change, and how far ahead', async ({ visit, visitor }) => {
    const page = await visit('/clock');
    await page.getByLabel('Time zone', { exact: true }).selectOption('Europe/Berlin');
    await section(page, 'America/New_York').waitFor({ state: 'detached' });
    await visitor.settle();
    assert.equal(await section(page, 'Europe/Berlin').count(), 1);
    await page.getByRole('button', { name: 'Every change' }).click();
    await page.getByLabel('Until').selectOption('2y');
    await page.waitForFunction(() => document.querySelectorAll('.clock-change').length === 4);
    await page.reload();
    await visitor.settle();
    assert.equal(await section(page, 'Europe/Berlin').count(), 4);
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await section(page, 'America/New_York').waitFor();
});

test('a slot leads to the timeline around it, in the zone of the schedule', async ({
    visit,
    api,
}) => {
    const { changes } = await api.get('/api/v1/clock-changes?zone=Europe/Berlin');
    const page = await visit('/clock?zone=Europe/Berlin');
    await section(page, 'Europe/Berlin').locator('.clock-slots a').first().click();
    await page.waitForFunction(() => location.hash.startsWith('#/timeline'));
    const values = new URLSearchParams((await page.evaluate(() => location.hash)).split('?')[1]);
    const slot = Date.parse(changes[0].affected[0].slots[0]);
    assert.ok(Date.parse(values.get('from')) < slot && slot < Date.parse(values.get('to')));
    assert.equal(values.get('tz'), 'Europe/Berlin');
    assert.equal(values.get('schedule'), 'berlin');
});

test('a change that continues on another page is one', async ({ visitor }) => {
    const { page } = visitor;
    const change = {
        at: '2027-03-28T01:00:00.000Z',
        timezone: 'Europe/Berlin',
        offsetBefore: 3600,
        offsetAfter: 7200,
        schedules: 900,
    };
    const affected = (id) => [{ id, effect: 'moved', text: `${id} moves`, slots: [] }];
    await page.route('**/api/v1/clock-changes?*', (route) => {
        const isFirst = !route.request().url().includes('cursor=');
        const one = {
            ...change,
            affected: affected(isFirst ? 'first' : 'second'),
            more: isFirst ? 400 : 0,
        };
        return route.fulfill({
            json: {
                from: change.at,
                until: change.at,
                changes: [one],
                cursor: isFirst ? 'next' : null,
                cut: null,
            },
        });
    });
    await visitor.open('/clock');
    await page.getByText('400 schedules in this zone not examined yet').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('second moves').waitFor();
    assert.equal(await page.locator('.clock-change').count(), 1);
    await page.getByText('2 affected').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Continue' }).count(), 0);
});
