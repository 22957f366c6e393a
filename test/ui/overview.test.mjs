// SPDX-License-Identifier: Apache-2.0
//
// The overview: counts that lead to what they count, what needs attention and its remedy, recent
// activity, and the first visit.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';

const { test } = suite({ seed: { schedules: 60 } });
const { test: empty } = suite();
const { test: without } = suite({ seed: {}, args: ['--catalogue=false'] });

const tile = (page, label) => page.getByRole('group', { name: 'Counts' }).getByRole('link', { name: label });
const value = async (page, label) => Number((await tile(page, label).innerText()).split('\n')[0]);
const card = (page, name) => page.getByRole('region', { name });
const put = (api, id, document) => api.send('PUT', `/api/v1/schedules/${id}`, document);

// A run of a schedule without times, from its trigger to its end.
async function fail(api, id, message) {
    const queue = `of-${id}`;
    await put(api, id, { action: { type: 'queue', queue } });
    await api.post(`/api/v1/schedules/${id}/trigger`, {});
    const { runs } = await api.post('/api/v1/queues/claim', { queues: [queue], worker: 'w', wait: '10s' });
    const [{ id: run, fence }] = runs;
    await api.post('/api/v1/runs/fail', { items: [{ id: run, fence, error: { code: 'x', message } }] });
    return run;
}

test('each tile shows the count of the server and leads to what it counts', async ({ visit, api }) => {
    const page = await visit('/');
    const { tiles } = await api.get('/api/v1/overview');
    const expected = [
        [/due in the next hour$/, tiles.dueNextHour, /#\/schedules\?.*sort=nextAt/],
        [/^\S+\s+late$/, tiles.late, /#\/schedules\?.*health=late/],
        [/missed today$/, tiles.missedToday, /#\/timeline\?.*outcome=missed/],
        [/paused$/, tiles.paused, /#\/schedules\?.*status=paused/],
        [/running$/, tiles.running, /#\/runs\?.*state=running/],
        [/failed today$/, tiles.failedToday, /#\/runs\?.*outcome=failed/],
        [/awaiting approval$/, tiles.waitingApproval, /#\/runs\?.*state=approval/],
    ];
    for (const [label, count, address] of expected) {
        assert.equal(await value(page, label), count, String(label));
        assert.match(await tile(page, label).getAttribute('href'), address);
    }
    assert.ok(tiles.paused > 0 && tiles.waitingApproval > 0);
});

test('the tile of paused schedules opens as many', async ({ visit, visitor, api }) => {
    const page = await visit('/');
    const { tiles } = await api.get('/api/v1/overview');
    await tile(page, /paused$/).click();
    await page.locator('.srow[data-index]').first().waitFor();
    await visitor.settle();
    assert.match(await page.locator('#schedule-count').innerText(), new RegExp(`^${tiles.paused} schedule`));
});

test('a failure appears with its reason, by itself', async ({ visit, api }) => {
    const page = await visit('/');
    const run = await fail(api, 'fails-now', 'the disk of the archive is full');
    const row = card(page, 'Needs attention').getByRole('listitem').filter({ hasText: 'fails-now' });
    await row.getByText('the disk of the archive is full').waitFor();
    assert.equal(await row.getByRole('link', { name: 'fails-now' }).getAttribute('href'), '#/schedule/fails-now');
    const line = card(page, 'Recent activity').getByRole('listitem').filter({ hasText: 'fails-now' });
    await line.getByRole('link', { name: /Run failed/ }).waitFor();
    assert.equal(await line.getByRole('link', { name: /Run failed/ }).getAttribute('href'), `#/run/${run}`);
});

/* A page that is shown again reads the ended runs again; that answer is held back. */
test('what happens while the ended runs are read is shown', async ({ visitor, visit, api }) => {
    const page = await visit('/');
    const ended = /\/api\/v1\/runs\?.*state=ended/;
    let release;
    let begin;
    const isReleased = new Promise((resolve) => (release = resolve));
    const isRead = new Promise((resolve) => (begin = resolve));
    await page.route(ended, async (route) => {
        const response = await route.fetch();
        begin();
        await isReleased;
        await route.fulfill({ response });
    });
    await page.evaluate(() => {
        for (const value of [true, false]) {
            Object.defineProperty(document, 'hidden', { value, configurable: true });
            document.dispatchEvent(new Event('visibilitychange'));
        }
    });
    await isRead;
    await page.locator('.live-live').waitFor();
    await fail(api, 'fails-early', 'no answer');
    const line = card(page, 'Recent activity').getByRole('listitem').filter({ hasText: 'fails-early' });
    const link = line.getByRole('link', { name: /Run failed/ });
    await link.waitFor();
    const answered = page.waitForResponse(ended);
    release();
    await answered;
    await visitor.settle();
    assert.ok(await link.isVisible());
});

test('what needs attention is run again at once', async ({ visit, api }) => {
    await fail(api, 'run-again', 'no room');
    const page = await visit('/');
    await page.getByRole('button', { name: 'Run now run-again' }).click();
    await page.getByText(/run-again: run/).waitFor();
    const { runs } = await api.get('/api/v1/runs?schedule=run-again&state=open');
    assert.equal(runs.length, 1);
});

test('a run is approved from the overview', async ({ visit, api }) => {
    await put(api, 'asks-first', { action: { type: 'queue', queue: 'q' }, policies: { approval: true } });
    const { id } = await api.post('/api/v1/schedules/asks-first/trigger', {});
    const page = await visit('/');
    await page.getByRole('button', { name: 'Approve … asks-first' }).click();
    await page.getByRole('dialog').getByRole('button', { name: /^Approve/ }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal((await api.get(`/api/v1/runs/${id}`)).state, 'ready');
    await page.getByRole('button', { name: 'Approve … asks-first' }).waitFor({ state: 'detached' });
});

test('activity follows changes and can be filtered', async ({ visit, visitor, api }) => {
    const page = await visit('/');
    await put(api, 'just-made', { action: { type: 'queue', queue: 'q' } });
    const line = card(page, 'Recent activity').getByText('Schedule created').first();
    await line.waitFor();
    await page.getByRole('button', { name: 'Problems' }).click();
    await visitor.settle();
    assert.match(page.url(), /activity=problems/);
    assert.equal(await line.count(), 0);
    await page.getByRole('button', { name: 'Changes' }).click();
    await line.waitFor();
});

test('the load of the day is drawn', async ({ visit }) => {
    const page = await visit('/');
    await card(page, /^Load/).getByRole('slider').waitFor();
});

test('the overview fits a phone', async ({ visit }) => {
    const page = await visit('/');
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
}, { viewport: { width: 390, height: 844 } });

empty('the first visit creates an example and tells how to run it', async ({ visit, api, server }) => {
    const page = await visit('/');
    await page.getByText('there are no schedules yet').waitFor();
    const lines = await page.locator('.copy pre').allInnerTexts();
    assert.ok(lines.length >= 4);
    for (const line of lines) assert.ok(line.includes(server.url), line);
    await page.getByRole('button', { name: 'Create the example' }).click();
    await page.getByText('runs every five seconds.').waitFor();
    const example = await api.get('/api/v1/schedules/example');
    assert.deepEqual(example.action.queue, 'example');
    assert.equal(example.spec.intervals[0].every, '5s');
    assert.ok(lines.some((line) => line.startsWith('belfry worker') && line.includes('--queue example')));
    await page.getByRole('button', { name: 'Show the overview' }).click();
    await page.getByRole('group', { name: 'Counts' }).waitFor();
});

without('without the catalogue, the rest of the overview works', async ({ visit, visitor, api }) => {
    visitor.allow(/409 \(Conflict\)/);
    const page = await visit('/');
    await page.getByText(/^Counts are not available: /).waitFor();
    await fail(api, 'fails-too', 'nothing works');
    await card(page, 'Recent activity').getByText(/^Run failed/).waitFor();
});
