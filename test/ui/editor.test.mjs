// SPDX-License-Identifier: Apache-2.0
//
// The editor: form and JSON are views of one document, which neither of them changes by itself.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';
import { waitFor } from './work.mjs';

const { test } = suite();

const button = (page, name) => page.getByRole('button', { name, exact: true });
const area = (page) => page.getByLabel('The schedule as JSON');
const put = (api, id, document) => api.send('PUT', `/api/v1/schedules/${id}`, document);
const queue = (name) => ({ type: 'queue', queue: name });
const nightly = () => ({ spec: { cron: ['30 2 * * *'], timezone: 'Europe/Berlin' }, action: queue('reports') });

async function jsonOf(page) {
    await button(page, 'JSON').click();
    return JSON.parse(await area(page).inputValue());
}

async function openAll(page) {
    await page.evaluate(() => document.querySelectorAll('details').forEach((one) => (one.open = true)));
}

// Every member of the API, with values that differ from the defaults.
const FULL = {
    id: 'full',
    description: 'Ünïcode, "quotes", ${template}',
    labels: { team: 'a', '': 'empty', __proto__x: 'b' },
    enabled: false,
    paused: { reason: 'why', until: '2099-01-01T00:00:00Z' },
    spec: {
        cron: ['30 2 * * *', { expr: '0 0 9 ? * MON-FRI', dialect: 'quartz', timezone: 'Asia/Tokyo' }],
        calendars: [{ hour: '1', minute: '2', second: '3', dayOfMonth: 'L', month: '4', year: '2030', dayOfWeek: '*', comment: 'c' }],
        intervals: [{ every: '15m', phase: '30s', anchor: 'midnight' }],
        timesOfDay: ['09:30', '10:00:30'],
        at: ['2099-01-01T00:00:00.250Z', 'now'],
        exclude: { calendars: [{ hour: '*', dayOfWeek: 'SUN' }], dates: ['2099-12-25'], named: ['holidays'], shift: 'next' },
        start: '2026-01-01T00:00:00+01:00',
        end: '2099-12-31T23:59:59.999Z',
        window: { from: '08:00', to: '18:00', rule: 'filter' },
        timezone: 'Europe/Berlin',
        dst: { gap: 'shift', fold: 'both' },
        jitter: '1m30s',
    },
    action: {
        type: 'http', method: 'PUT', url: 'https://example.org/${input.n}', headers: { 'X-A': '1' },
        body: { deep: [1, null, { a: [] }] }, timeout: '5s', connectTimeout: '1s', success: '200-299,304',
        redirects: 2, sign: 'key', keepBytes: 10, keepHeaders: ['Date'], input: { n: 1.5, list: [], none: null },
    },
    policies: {
        overlap: 'bufferOne', bufferLimit: 7, pauseOnFailure: true, remainingRuns: 12, startWithin: '1h',
        catchup: { mode: 'all', window: '6h', whilePaused: true, whenFull: 'drop', expires: 'starting' },
        retry: { attempts: 4, backoff: 'fixed', delay: '2s', max: '1m', jitter: '1s' },
        timeout: '10m', maxRunTime: '2h', lease: { for: '1m', heartbeat: '10s', grace: '5s' }, priority: 9,
        concurrency: { key: 'db', limit: 3, until: 'started' }, approval: true, delivery: 'atMostOnce',
        latenessBudget: '5m', retention: { age: '30d', count: 100 }, lastResult: true, idleClose: '90d',
    },
    governor: { minInterval: '1m', maxInterval: '1h', backoff: false, hint: { interval: '5m', expires: '2099-01-01T00:00:00Z', reason: 'r', at: null } },
    extra: { anything: [1, { two: null }] },
};

// Members, dialects and types that no version of the server knows.
const STRANGE = {
    id: 'strange',
    future: { a: 1 },
    labels: { number: 5, 'null': null },
    spec: {
        cron: [{ expr: '* * * * *', dialect: 'martian', seed: 7 }, 42, { martian: true }, null],
        calendars: [{ hour: 5, unknown: 'x' }, 'text'],
        intervals: ['15m', { every: 900 }],
        timesOfDay: [930],
        at: 'now',
        exclude: ['2026-12-25'],
        window: 'always',
        dst: 'lunar',
        timezone: 7,
        sunrise: { latitude: 52.5 },
    },
    action: { type: 'exec', argv: ['a b', '', 'c'], env: { A: '1', B: 2 }, limits: { memory: '1G', gpu: 1 }, colour: 'red' },
    policies: { overlap: 'sometimes', retry: [], catchup: { mode: 'all', unknown: 1 }, priority: 'high', approval: 'yes', mood: {} },
    governor: [],
    paused: true,
};

const OTHERS = [
    { spec: {}, action: { type: 'queue', queue: '', kind: null, input: {} }, policies: {}, governor: {}, labels: {} },
    { spec: null, action: null, policies: null, governor: null, labels: null, description: null, enabled: null },
    {
        spec: { cron: [], at: [] },
        action: {
            type: 'workflow', name: 'w', version: 3, workflowId: 'id', correlationId: 'c', queue: 'q', upstream: 'u',
            header: { h: { data: 'eA==' } }, memo: { m: {} }, searchAttributes: { s: {} }, temporal: 'AAEC',
            conductor: { priority: 7 }, input: { '10': 1, '2': 2, a: '' },
        },
    },
    { action: { type: 'teleport', to: 'mars' } },
];

for (const [i, document] of [FULL, STRANGE, ...OTHERS].entries())
    test(`document ${i} is the same after form, JSON, form and an edit`, async ({ visit, visitor }) => {
        visitor.allow(/400 \(Bad Request\)/);
        const page = await visit('/new?view=json');
        await area(page).fill(JSON.stringify(document));
        await button(page, 'Form').click();
        await page.getByText('What it is').waitFor();
        await openAll(page);
        await visitor.settle();
        assert.deepEqual(await jsonOf(page), document);
        await button(page, 'Form').click();
        await page.getByLabel('Description').fill('another');
        assert.deepEqual(await jsonOf(page), { ...document, description: 'another' });
    });

test('numbers keep the digits that the server sent', async ({ api, visit }) => {
    const body = '{"action":{"type":"queue","queue":"q","input":{"n":9007199254740995,"x":1.0}}}';
    await fetch(`${api.url}/api/v1/schedules/exact`, { method: 'PUT', body, headers: { 'Content-Type': 'application/json' } });
    const page = await visit('/edit/exact');
    await page.getByLabel('Description').fill('changed');
    await button(page, 'Save').click();
    await page.waitForURL(/#\/schedule\/exact/);
    const text = await (await fetch(`${api.url}/api/v1/schedules/exact`)).text();
    assert.match(text, /"input":{"n":9007199254740995,"x":1\.0}/);
    assert.match(text, /"description":"changed"/);
});

test('each form field changes its member and nothing else', async ({ visit, visitor }) => {
    visitor.allow(/400 \(Bad Request\)/);
    const page = await visit('/new?view=json');
    const document = { action: queue('q'), spec: { cron: ['0 9 * * *'] } };
    await area(page).fill(JSON.stringify(document));
    await button(page, 'Form').click();
    await openAll(page);
    await page.getByLabel('Id', { exact: true }).fill('x');
    await page.getByLabel('Cron expression 1').fill('5 9 * * *');
    await page.getByLabel('Dialect of expression 1').selectOption('posix');
    await page.getByLabel('Attempts', { exact: true }).fill('4');
    await page.getByLabel('If a run is still open').selectOption('bufferAll');
    await page.getByLabel('Enabled').uncheck();
    await page.getByLabel('Jitter', { exact: true }).fill('90s');
    assert.deepEqual(await jsonOf(page), {
        id: 'x',
        enabled: false,
        action: queue('q'),
        spec: { cron: [{ expr: '5 9 * * *', dialect: 'posix' }], jitter: '90s' },
        policies: { retry: { attempts: 4 }, overlap: 'bufferAll' },
    });
    await button(page, 'Form').click();
    await openAll(page);
    await page.getByLabel('Attempts', { exact: true }).fill('');
    await page.getByLabel('If a run is still open').selectOption('');
    await page.getByLabel('Enabled').check();
    assert.deepEqual(await jsonOf(page), {
        id: 'x',
        action: queue('q'),
        spec: { cron: [{ expr: '5 9 * * *', dialect: 'posix' }], jitter: '90s' },
    });
});

test('a look at another type of action loses nothing', async ({ visit, visitor }) => {
    visitor.allow(/400 \(Bad Request\)/);
    const page = await visit('/new?view=json');
    const document = { action: { type: 'http', url: 'https://example.org/', sign: 'k', input: { a: 1 } } };
    await area(page).fill(JSON.stringify(document));
    await button(page, 'Form').click();
    await page.getByLabel('Run a program').check();
    await page.getByLabel('Call a URL').check();
    assert.deepEqual(await jsonOf(page), document);
});

test('the preview is that of the server, while typing', async ({ api, visit }) => {
    const page = await visit('/new?tz=schedule');
    await page.getByLabel('Time zone', { exact: true }).fill('Europe/Berlin');
    await page.getByLabel('Cron expression 1').fill('30 2 * * *');
    const preview = await api.post('/api/v1/preview', { spec: { cron: ['30 2 * * *'], timezone: 'Europe/Berlin' } });
    await page.getByRole('heading', { name: preview.description }).waitFor();
    const rows = page.locator('.spec-preview tbody tr:not(.clock-row)');
    assert.equal(await rows.count(), 10);
    assert.match(await rows.first().innerText(), /02:30/);
    for (const { effect } of preview.clockChanges) await page.getByText(effect).first().waitFor();
});

test('an error of the server marks the expression that it names', async ({ visit, visitor }) => {
    visitor.allow(/400 \(Bad Request\)/);
    const page = await visit('/new');
    await button(page, '+ Cron expression').click();
    await page.getByLabel('Cron expression 2').fill('0 99 * * *');
    const mark = page.locator('.form-entry-block mark');
    await mark.waitFor();
    assert.equal(await mark.innerText(), '99');
    assert.equal(await page.getByLabel('Cron expression 2').getAttribute('aria-invalid'), 'true');
    assert.equal(await page.getByLabel('Cron expression 1').getAttribute('aria-invalid'), null);
    await page.locator('.editor-side').getByRole('button', { name: 'spec.cron[1].expr.hour' }).click();
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Cron expression 2');
});

test('errors of other parts are at their fields', async ({ visit }) => {
    const page = await visit('/new');
    await openAll(page);
    await page.getByLabel('Priority', { exact: true }).fill('99');
    await page.locator('.field', { has: page.getByLabel('Priority', { exact: true }) }).getByRole('alert').waitFor();
    await page.getByLabel('Priority', { exact: true }).fill('9');
    await waitFor(async () => (await page.getByRole('alert').count()) === 0);
});

test('zones come from the server, and are found by words', async ({ visit, visitor }) => {
    visitor.allow(/400 \(Bad Request\)/);
    const page = await visit('/new');
    const field = page.getByLabel('Time zone', { exact: true });
    await field.fill('york');
    await page.getByRole('option', { name: /America\/New_York/ }).waitFor();
    await field.press('Enter');
    assert.equal(await field.inputValue(), 'America/New_York');
});

test('the free-slot finder offers the least loaded minutes', async ({ api, visit }) => {
    for (let i = 0; i < 5; i++) await put(api, `busy-${i}`, nightly());
    const page = await visit('/new');
    await page.getByLabel('Time zone', { exact: true }).fill('Europe/Berlin');
    await page.getByLabel('Cron expression 1').fill('30 2 * * *');
    await page.getByText('Find a free minute').click();
    await page.getByText(/02:30 has 5 planned starts/).waitFor();
    const offer = page.getByRole('button', { name: /^use 02:/ }).first();
    const time = /use 02:(\d\d)/.exec(await offer.innerText());
    await offer.click();
    assert.equal(await page.getByLabel('Cron expression 1').inputValue(), `${Number(time[1])} 2 * * *`);
});

test('an edit shows the difference in fire times before it is saved', async ({ api, visit }) => {
    await put(api, 'edited', nightly());
    const page = await visit('/edit/edited');
    assert.ok(await button(page, 'Save').isDisabled());
    await page.getByLabel('Cron expression 1').fill('45 2 * * *');
    const card = page.getByRole('region', { name: 'What saving changes' });
    const { added, removed } = await api.post('/api/v1/schedules/edited/plan-diff', {
        patch: { spec: { cron: ['45 2 * * *'] } },
    });
    assert.ok(added.length > 90 && removed.length > 90);
    await card.getByRole('heading', { name: new RegExp(` ${removed.length} removed`) }).waitFor();
    await card.getByRole('heading', { name: new RegExp(` ${added.length} added`) }).waitFor();
    assert.equal(await card.locator('.diff-added').count(), added.length);
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/#\/schedule\/edited/);
    assert.equal((await api.get('/api/v1/schedules/edited')).spec.cron[0].expr, '45 2 * * *');
});

test('an edit of someone else is merged, not overwritten', async ({ api, visit, visitor }) => {
    visitor.allow(/412 \(Precondition Failed\)/);
    await put(api, 'shared', nightly());
    const page = await visit('/edit/shared');
    await page.getByLabel('Description').fill('mine');
    await api.send('PATCH', '/api/v1/schedules/shared', { policies: { priority: 7 } });
    await button(page, 'Save').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('policies').first().waitFor();
    await dialog.getByText('Your changes do not touch theirs').waitFor();
    await dialog.getByRole('button', { name: /Merge/ }).click();
    await button(page, 'Save').click();
    await page.waitForURL(/#\/schedule\/shared/);
    const { description, policies } = await api.get('/api/v1/schedules/shared');
    assert.deepEqual([description, policies.priority], ['mine', 7]);
});

test('leaving with unsaved changes asks first', async ({ api, visit }) => {
    await put(api, 'unsaved', nightly());
    const page = await visit('/edit/unsaved');
    await page.getByLabel('Description').fill('lost?');
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await button(page.getByRole('dialog'), 'Stay').click();
    assert.match(page.url(), /#\/edit\/unsaved/);
    assert.equal(await page.getByLabel('Description').inputValue(), 'lost?');
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await button(page.getByRole('dialog'), 'Discard the changes').click();
    await page.waitForURL(/#\/runs/);
    assert.equal((await api.get('/api/v1/schedules/unsaved')).description, '');
});

test('a duplicate has everything but the id', async ({ api, visit }) => {
    await put(api, 'original', { ...nightly(), labels: { team: 'a' }, policies: { priority: 8 } });
    const page = await visit('/new?from=original');
    assert.equal(await page.getByLabel('Id', { exact: true }).inputValue(), 'original-copy');
    await button(page, 'Create').click();
    await page.waitForURL(/#\/schedule\/original-copy/);
    const { items } = await api.get('/api/v1/export?prefix=original');
    assert.deepEqual(items.map(({ id, ...rest }) => rest)[0], items.map(({ id, ...rest }) => rest)[1]);
});

test('the JSON view finds unknown names and words, at their lines', async ({ visit, visitor }) => {
    visitor.allow(/400 \(Bad Request\)/);
    const page = await visit('/new?view=json');
    await area(page).fill(JSON.stringify({ action: queue('q'), policies: { overlapp: 'skip', delivery: 'never' } }, null, 2));
    const problems = page.locator('#json-problems');
    await problems.getByText(/overlap/).first().waitFor();
    await problems.getByText(/atLeastOnce/).first().waitFor();
    assert.equal(await page.locator('.json-lines .bad').first().innerText(), '7');
    await area(page).fill('{"action": {');
    await problems.getByRole('button', { name: /^line 1/ }).waitFor();
    assert.ok(await button(page, 'Create').isDisabled());
});

test('the JSON view explains the member at the cursor, and formats', async ({ visit }) => {
    const page = await visit('/new?view=json');
    await area(page).fill('{"action":{"type":"queue","queue":"q"},"policies":{"overlap":"skip"}}');
    await area(page).evaluate((node) => node.setSelectionRange(60, 60));
    await area(page).press('ArrowRight');
    await page.locator('.json-help').getByText('terminateOther').first().waitFor();
    await button(page, 'Format').click();
    assert.match(await area(page).inputValue(), /^{\n {2}"action"/);
});

test('create, trigger, pause and explain by keyboard only', async ({ api, visit, visitor }) => {
    const page = await visit('/');
    const { keyboard } = page;
    const focused = () =>
        page.evaluate(() => {
            const one = document.activeElement;
            return (one.getAttribute('aria-label') ?? one.labels?.[0]?.innerText ?? one.innerText ?? '').trim();
        });
    const tabTo = async (expression) => {
        for (let i = 0; i < 80; i++) {
            if (expression.test(await focused())) return;
            await keyboard.press('Tab');
        }
        assert.fail(`no Tab reaches ${expression}; the last one was ${await focused()}`);
    };
    await keyboard.press('c');
    await page.getByText('New schedule').waitFor();
    await visitor.settle();
    await tabTo(/^Id/);
    await keyboard.type('by-keyboard');
    await tabTo(/^Cron expression 1/);
    await keyboard.press('Control+a');
    await keyboard.type('0 4 * * *');
    await tabTo(/^Queue/);
    await keyboard.press('Control+a');
    await keyboard.type('keys');
    await keyboard.press('Control+Enter');
    await page.waitForURL(/#\/schedule\/by-keyboard/);
    await visitor.settle();
    assert.equal((await api.get('/api/v1/schedules/by-keyboard')).action.queue, 'keys');

    await tabTo(/^Trigger$/);
    await keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(/^Input/);
    await keyboard.type('{"by": "keyboard"}');
    for (let i = 0; i < 20 && !/^Trigger$/.test(await focused()); i++) await keyboard.press('Tab');
    await keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const { runs } = await api.get('/api/v1/runs?schedule=by-keyboard');
    assert.deepEqual(runs[0].input, { by: 'keyboard' });

    await tabTo(/^Pause$/);
    await keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(/^Reason/);
    await keyboard.type('lunch');
    await keyboard.press('Enter');
    await page.getByText('“lunch”').waitFor();

    await tabTo(/^Explain$/);
    await keyboard.press('Enter');
    await page.locator('.sentences li').first().waitFor();
    assert.match(page.url(), /tab=explain/);
});
