// SPDX-License-Identifier: Apache-2.0
//
// The page of a schedule: its tabs, and every button with what it says before it acts.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';
import { waitFor } from './work.mjs';

const { test } = suite();

const HOUR = 3_600_000;
const queue = (name, input = {}) => ({ type: 'queue', queue: name, input });
const button = (page, name) => page.getByRole('button', { name, exact: true });
const dialog = (page) => page.getByRole('dialog');
const state = async (api, id) => (await api.get(`/api/v1/schedules/${id}?fields=state`)).state;
const put = (api, id, document) => api.send('PUT', `/api/v1/schedules/${id}`, document);

async function choose(page, name) {
    await button(page, 'More ▾').click();
    await page.getByRole('menuitem', { name, exact: true }).click();
}

// A daily schedule in a zone with clock changes.
const daily = (policies = {}) => ({
    description: 'Nightly report',
    labels: { team: 'payments' },
    spec: { cron: ['30 2 * * *'], timezone: 'Europe/Berlin' },
    action: queue('reports', { day: 'monday' }),
    policies,
});

test('the head names the next run in its zone, the words are those of the server', async ({ api, visit }) => {
    await put(api, 'report', daily({ retry: { attempts: 3 } }));
    const page = await visit('/schedule/report?tz=schedule');
    const { description } = await api.post('/api/v1/preview', { spec: daily().spec });
    await page.getByText(description, { exact: true }).waitFor();
    const head = await page.locator('.next-run').innerText();
    assert.match(head, /in \d+/);
    assert.match(head, /02:30:00 .*Europe\/Berlin/);
    const { times } = await api.get('/api/v1/schedules/report/next?count=10');
    const rows = page.locator('.next-times tbody tr:not(.clock-row)');
    assert.equal(await rows.count(), times.length);
    assert.equal(await page.getByText('Up to 3;').count(), 1);
});

test('a trigger sends the input exactly as typed', async ({ api, visit }) => {
    await put(api, 'triggered', { ...daily(), action: queue('triggers', { n: 1 }) });
    const page = await visit('/schedule/triggered');
    await button(page, 'Trigger').click();
    await dialog(page).getByLabel('Input').fill('{"n": 9007199254740995}');
    await button(dialog(page), 'Trigger').click();
    await dialog(page).waitFor({ state: 'detached' });
    const text = await waitFor(async () => {
        const answer = await fetch(`${api.url}/api/v1/runs?schedule=triggered&fields=input`);
        const found = await answer.text();
        return found.includes('"input"') && found;
    });
    assert.match(text, /"n":9007199254740995/);
});

test('an input that is not JSON is refused in the dialog', async ({ api, visit }) => {
    await put(api, 'not-json', daily());
    const page = await visit('/schedule/not-json');
    await button(page, 'Trigger').click();
    await dialog(page).getByLabel('Input').fill('{day}');
    await button(dialog(page), 'Trigger').click();
    await dialog(page).getByRole('alert').waitFor();
    assert.deepEqual((await api.get('/api/v1/runs?schedule=not-json')).runs, []);
});

test('a test changes no counter', async ({ api, visit }) => {
    await put(api, 'tested', daily());
    const page = await visit('/schedule/tested');
    await choose(page, 'Test …');
    await button(dialog(page), 'Run the test').click();
    const { runs } = await waitFor(async () => {
        const found = await api.get('/api/v1/runs?schedule=tested&kind=test');
        return found.runs.length > 0 && found;
    });
    assert.equal(runs[0].kind, 'test');
    assert.equal((await state(api, 'tested')).counters.started, 0);
});

test('pause asks for a reason and an end, and the head shows them', async ({ api, visit }) => {
    await put(api, 'paused', daily());
    const page = await visit('/schedule/paused');
    await button(page, 'Pause').click();
    await dialog(page).getByLabel('Reason').fill('stocktaking');
    await dialog(page).getByLabel('How long').selectOption('For 4 hours');
    await button(dialog(page), 'Pause').click();
    await page.locator('.schedule-state').getByText('“stocktaking”').waitFor();
    const { pausedReason, pausedUntil } = await state(api, 'paused');
    assert.equal(pausedReason, 'stocktaking');
    assert.ok(Math.abs(Date.parse(pausedUntil) - Date.now() - 4 * HOUR) < 60_000);
});

test('resume says what catch-up will do, in the words of the server', async ({ api, visit }) => {
    await put(api, 'resumed', {
        spec: { intervals: [{ every: '1s' }] },
        action: queue('resumed'),
        policies: { catchup: { mode: 'all', whilePaused: true }, overlap: 'bufferAll' },
    });
    await api.post('/api/v1/schedules/resumed/pause', {});
    await waitFor(
        async () => (await api.post('/api/v1/schedules/resumed/resume', { dryRun: true })).replayed > 1,
    );
    const page = await visit('/schedule/resumed');
    await button(page, 'Resume').click();
    const words = await dialog(page).locator('.note').innerText();
    assert.match(words, /\d+ .*slot/);
    await button(dialog(page), 'Resume').click();
    await button(page, 'Pause').waitFor();
    assert.equal((await state(api, 'resumed')).status, 'active');
});

test('skip next lists the times; the slots can be restored', async ({ api, visit }) => {
    await put(api, 'skipped', daily());
    const page = await visit('/schedule/skipped?tz=schedule');
    await button(page, 'Skip next').click();
    await dialog(page).getByLabel('How many').fill('2');
    await dialog(page).locator('li').nth(1).waitFor();
    for (const text of await dialog(page).locator('li').allInnerTexts()) assert.match(text, /02:30:00/);
    await button(dialog(page), 'Skip 2 slots').click();
    await waitFor(async () => (await api.get('/api/v1/schedules/skipped/exceptions')).exceptions.length === 2);
    await button(page, 'Slots').click();
    await page.getByRole('button', { name: '31 days' }).click();
    await button(page, 'Restore').first().click();
    await waitFor(async () => (await api.get('/api/v1/schedules/skipped/exceptions')).exceptions.length === 1);
    await waitFor(async () => (await button(page, 'Restore').count()) === 1);
});

test('a planned slot can be skipped from the list of slots', async ({ api, visit }) => {
    await put(api, 'one-slot', daily());
    const page = await visit('/schedule/one-slot?tab=slots&span=7d');
    await button(page, 'Skip').first().click();
    await waitFor(async () => (await api.get('/api/v1/schedules/one-slot/exceptions')).exceptions.length === 1);
    await button(page, 'Restore').waitFor();
});

test('a backfill is counted before it starts, and can be stopped', async ({ api, visit }) => {
    await put(api, 'filled', { ...daily(), spec: { cron: ['0 * * * *'] }, policies: { overlap: 'bufferAll' } });
    const page = await visit('/schedule/filled');
    await button(page, 'Backfill').click();
    const strip = dialog(page).locator('.slot-strip svg');
    const box = await strip.boundingBox();
    await page.mouse.move(box.x + box.width * 0.25, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 20, { steps: 4 });
    await page.mouse.up();
    const instant = async (name) => `${(await dialog(page).getByLabel(name).inputValue()).padEnd(19, ':00')}Z`;
    const [from, to] = [await instant('From (UTC)'), await instant('To (UTC)')];
    const hours = (Date.parse(to) - Date.parse(from)) / HOUR;
    assert.ok(Math.abs(hours - 6) < 0.5, `${hours} hours`);
    const plan = await api.post('/api/v1/schedules/filled/backfill', {
        from, to, only: 'missed', dryRun: true,
    });
    await button(dialog(page), `Run ${plan.count} slots`).click();
    await dialog(page).getByText('Backfill 1 has begun.').waitFor();
    await button(dialog(page), 'Stop').click();
    await waitFor(async () => {
        const { backfills } = await api.get('/api/v1/schedules/filled/backfills');
        return backfills[0].stopped && backfills[0].slots === plan.count;
    });
    await dialog(page).getByText(/stopped|ended|running/).first().waitFor();
});

test('the fields of a backfill work without the strip', async ({ api, visit }) => {
    await put(api, 'fields', { ...daily(), spec: { cron: ['0 * * * *'] } });
    const page = await visit('/schedule/fields');
    await button(page, 'Backfill').click();
    await dialog(page).getByLabel(/Only slots that were missed/).uncheck();
    await dialog(page).getByLabel('From (UTC)').fill('2026-01-05T00:00');
    await dialog(page).getByLabel('To (UTC)').fill('2026-01-05T03:00');
    await button(dialog(page), 'Run 4 slots').waitFor();
    assert.equal((await api.get('/api/v1/schedules/fields/backfills')).backfills.length, 0);
});

const adaptive = () => ({
    spec: { intervals: [{ every: '10m' }] },
    action: queue('adaptive'),
    governor: { minInterval: '1m', maxInterval: '1h' },
});

test('a hint moves an adaptive schedule, and can be cleared', async ({ api, visit }) => {
    await put(api, 'adaptive', adaptive());
    const page = await visit('/schedule/adaptive');
    await choose(page, 'Hint …');
    await dialog(page).getByLabel('Interval').fill('3m');
    await dialog(page).getByLabel('Reason').fill('load is low');
    await button(dialog(page), 'Set the hint').click();
    await dialog(page).waitFor({ state: 'detached' });
    const hint = async () => (await api.get('/api/v1/schedules/adaptive')).governor.hint;
    assert.equal((await hint()).interval, '3m');
    await choose(page, 'Hint …');
    await button(dialog(page), 'Clear the present hint').click();
    await waitFor(async () => !(await hint())?.interval);
});

test('an error of the server is shown in the dialog', async ({ api, visitor, visit }) => {
    visitor.allow(/400 \(Bad Request\)/);
    await put(api, 'bounded', adaptive());
    const page = await visit('/schedule/bounded');
    await choose(page, 'Hint …');
    await dialog(page).getByLabel('Interval').fill('5s');
    await button(dialog(page), 'Set the hint').click();
    await dialog(page).getByRole('alert').getByText(/minInterval/).waitFor();
});

test('failures can be reset', async ({ api, visit }) => {
    await put(api, 'failing', { ...daily(), action: queue('failing') });
    await api.post('/api/v1/schedules/failing/trigger', {});
    const [run] = await waitFor(async () => {
        const { runs } = await api.post('/api/v1/queues/claim', { queues: ['failing'], worker: 'test' });
        return runs.length > 0 && runs;
    });
    await api.post(`/api/v1/runs/${run.id}/fail`, { fence: run.fence, error: { message: 'no room' } });
    const page = await visit('/schedule/failing');
    await page.locator('.schedule-state').getByText(/failed 1 time/).waitFor();
    await choose(page, 'Reset failures');
    await waitFor(async () => (await state(api, 'failing')).failures === 0);
});

test('archive closes a schedule; delete asks for its id', async ({ api, visit, visitor }) => {
    visitor.allow(/404 \(Not Found\)/);
    await put(api, 'old', daily());
    const page = await visit('/schedule/old');
    await choose(page, 'Archive …');
    await button(dialog(page), 'Archive').click();
    await waitFor(async () => (await state(api, 'old')).status === 'closed');
    await waitFor(async () => (await button(page, 'Trigger').count()) === 0);
    await choose(page, 'Delete …');
    assert.ok(await button(dialog(page), 'Delete').isDisabled());
    await dialog(page).getByRole('textbox').fill('old');
    await button(dialog(page), 'Delete').click();
    await page.waitForURL(/#\/schedules/);
    await api.send('GET', '/api/v1/schedules/old', undefined, 404);
});

test('export shows YAML and JSON of the same document', async ({ api, visit }) => {
    await put(api, 'exported', daily());
    const page = await visit('/schedule/exported');
    await choose(page, 'Export …');
    const text = dialog(page).locator('pre').first();
    await text.getByText('timezone: Europe/Berlin').waitFor();
    assert.match(await text.innerText(), /^id: exported\n/);
    await button(dialog(page), 'JSON').click();
    const { items } = await api.get('/api/v1/export?prefix=exported');
    assert.deepEqual(JSON.parse(await text.innerText()), items[0]);
});

test('tabs are in the address, and Back returns', async ({ api, visit, visitor }) => {
    await put(api, 'tabs', daily());
    const page = await visit('/schedule/tabs');
    for (const [name, word] of [['Slots', 'slots'], ['Explain', 'explain'], ['JSON', 'json']]) {
        await button(page, name).click();
        await visitor.settle();
        assert.match(page.url(), new RegExp(`tab=${word}`));
    }
    await page.goBack();
    await page.getByText('Explain an instant').waitFor();
});

test('slots can be paged in both directions', async ({ api, visit, visitor }) => {
    await put(api, 'minutely', { ...daily(), spec: { cron: ['* * * * *'] } });
    const page = await visit('/schedule/minutely?tab=slots&span=1d&at=2099-01-05T12:00:00.000Z');
    const first = async () => page.locator('tbody tr').first().innerText();
    assert.match(await first(), /2099-01-05 00:00:00/);
    await page.getByRole('button', { name: /100 entries shown/ }).click();
    await page.getByRole('button', { name: /200 entries shown/ }).waitFor();
    await button(page, 'Later →').click();
    await visitor.settle();
    assert.match(await first(), /2099-01-06 00:00:00/);
    await button(page, '← Earlier').click();
    await button(page, '← Earlier').click();
    await visitor.settle();
    assert.match(await first(), /2099-01-04 00:00:00/);
});

test('explain gives the sentences of the server, for any zone', async ({ api, visit }) => {
    await put(api, 'explained', daily());
    const page = await visit('/schedule/explained?tab=explain&tz=schedule');
    const field = page.getByLabel('Time (Europe/Berlin)');
    await field.fill('2099-03-29T02:30');
    const { moments } = await api.get('/api/v1/schedules/explained/explain?at=2099-03-29T02:30:00');
    for (const sentence of moments[0].sentences) await page.getByText(sentence, { exact: true }).waitFor();
    await button(page, 'UTC').click();
    await page.getByLabel('Time (UTC)').fill('2099-01-05T01:30');
    await page.getByText('It is a slot of cron[0].').waitFor();
    assert.match(page.url(), /at=2099-01-05T01%3A30%3A00.000Z/);
});

test('history names who changed what, and the difference of a version', async ({ api, visit }) => {
    await put(api, 'changed', daily());
    const page = await visit('/schedule/changed?tab=history');
    await page.getByRole('cell', { name: 'created', exact: true }).waitFor();
    await api.send('PATCH', '/api/v1/schedules/changed', { spec: { cron: ['45 2 * * *'] } });
    await page.getByRole('cell', { name: 'edited', exact: true }).waitFor();
    await button(page, 'Difference').first().click();
    await page.getByText('spec.cron').first().waitFor();
    await page.getByRole('heading', { name: /removed/ }).waitFor();
});

test('a change by someone else appears without a reload', async ({ api, visit }) => {
    await put(api, 'live', daily());
    const page = await visit('/schedule/live');
    await api.send('PATCH', '/api/v1/schedules/live', { description: 'Now different' });
    await page.getByText('Now different').waitFor();
});

test('a schedule that does not exist says so', async ({ visit, visitor }) => {
    visitor.allow(/404 \(Not Found\)/);
    const page = await visit('/schedule/none-of-these');
    await page.getByText('This schedule does not exist').waitFor();
});
