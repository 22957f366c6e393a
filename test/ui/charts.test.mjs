// SPDX-License-Identifier: Apache-2.0
//
// Charts and local times, each alone on the page, with answers that the test gives.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';

const { test } = suite();

// Renders a component of parts/ in place of the page.
function mount(page, file, name, props) {
    return page.evaluate(
        async ([file, name, props]) => {
            const base = document
                .querySelector('script[src*="main.js"]')
                .src.replace('main.js', '');
            const { html, render } = await import(`${base}lib/html.js`);
            const parts = await import(`${base}parts/${file}`);
            const place = document.createElement('div');
            document.querySelector('main').replaceChildren(place);
            render(html`<${parts[name]} ...${props} />`, place);
        },
        [file, name, props],
    );
}

// Calls a function of parts/timeline-axis.js.
function axis(page, name, ...values) {
    return page.evaluate(
        async ([name, values]) => {
            const base = document
                .querySelector('script[src*="main.js"]')
                .src.replace('main.js', '');
            return (await import(`${base}parts/timeline-axis.js`))[name](...values);
        },
        [name, values],
    );
}

const at = (text) => Date.parse(text);

test('local times, also when clocks change', async ({ visit }) => {
    const page = await visit('/clock');
    const parse = async (text, zone) =>
        new Date(await axis(page, 'parseLocal', text, zone)).toISOString();
    assert.equal(await parse('2026-11-19T02:30', 'Europe/Berlin'), '2026-11-19T01:30:00.000Z');
    assert.equal(await parse('2026-10-25T02:30', 'Europe/Berlin'), '2026-10-25T00:30:00.000Z');
    assert.equal(await parse('2027-03-28T02:30', 'Europe/Berlin'), '2027-03-28T01:30:00.000Z');
    assert.equal(await parse('2027-03-14T12:00', 'America/New_York'), '2027-03-14T16:00:00.000Z');
    assert.equal(await parse('2026-11-19T00:00', 'Asia/Kathmandu'), '2026-11-18T18:15:00.000Z');
});

test('clock changes between two times', async ({ visit }) => {
    const page = await visit('/clock');
    const changes = (from, to, zone) => axis(page, 'changesBetween', at(from), at(to), zone);
    assert.deepEqual(await changes('2027-01-01T00:00Z', '2028-01-01T00:00Z', 'Europe/Berlin'), [
        { at: at('2027-03-28T01:00Z'), by: 3_600_000 },
        { at: at('2027-10-31T01:00Z'), by: -3_600_000 },
    ]);
    assert.deepEqual(
        await changes('2027-04-01T00:00Z', '2027-04-05T00:00Z', 'Australia/Lord_Howe'),
        [{ at: at('2027-04-03T15:00Z'), by: -1_800_000 }],
    );
    assert.deepEqual(await changes('2027-01-01T00:00Z', '2028-01-01T00:00Z', 'UTC'), []);
});

test('labels of axes are at round local times', async ({ visit }) => {
    const page = await visit('/clock');
    const labels = async (from, to, zone, most) =>
        (await axis(page, 'ticks', at(from), at(to), zone, most)).map(({ text }) => text);
    assert.deepEqual(await labels('2026-11-19T00:00Z', '2026-11-20T00:00Z', 'Asia/Kolkata', 5), [
        '06:00',
        '12:00',
        '18:00',
        'Fri 11-20',
    ]);
    assert.deepEqual(
        await labels('2027-03-27T23:00Z', '2027-03-28T05:00Z', 'Europe/Berlin', 8),
        ['Sun 03-28', '01:00', '03:00', '04:00', '05:00', '06:00'],
        'two o’clock does not exist',
    );
    assert.deepEqual(
        await labels('2027-10-30T22:00Z', '2027-10-31T04:00Z', 'Europe/Berlin', 8),
        ['Sun 10-31', '01:00', '02:00', '02:00', '03:00', '04:00'],
        'two o’clock occurs twice',
    );
});

const load = {
    from: '2026-11-19T00:00:00.000Z',
    to: '2026-11-19T04:00:00.000Z',
    now: '2026-11-19T02:00:00.000Z',
    asOf: '2026-11-19T02:00:00.000Z',
    step: '1h',
    groups: [
        {
            group: null,
            buckets: [
                {
                    at: '2026-11-19T00:00:00.000Z',
                    planned: 12,
                    started: 11,
                    running: 4,
                    late: 2,
                    failed: 3,
                },
                {
                    at: '2026-11-19T03:00:00.000Z',
                    planned: 7,
                    started: 0,
                    running: null,
                    late: 0,
                    failed: 0,
                },
            ],
        },
    ],
    cut: null,
};

test('the load, by arrow keys, as a table, and as a way to the timeline', async ({ visitor }) => {
    const { page } = visitor;
    await visitor.open('/clock?tz=UTC');
    await page.route('**/api/v1/load?*', (route) => route.fulfill({ json: load }));
    await mount(page, 'load-chart.js', 'LoadChart', { from: load.from, to: load.to });
    const chart = page.getByRole('slider', { name: /^Load; Enter: open the timeline there/ });
    await chart.focus();
    await page.keyboard.press('Home');
    assert.equal(
        await chart.getAttribute('aria-valuetext'),
        '2026-11-19 00:00–01:00: Due by the plan 12, Started 11, Failed 3, Running at once 4, Late 2',
    );
    await page.keyboard.press('End');
    assert.match(
        await chart.getAttribute('aria-valuetext'),
        /03:00–04:00: Due by the plan 7, Started –/,
    );
    await page.getByText('Show as a table').click();
    const cells = page.getByRole('row').filter({ hasText: '00:00–01:00' }).getByRole('cell');
    assert.deepEqual(await cells.allInnerTexts(), ['12', '11', '3', '4', '2']);
    await chart.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash.startsWith('#/timeline'));
    const values = new URLSearchParams((await page.evaluate(() => location.hash)).split('?')[1]);
    assert.equal(values.get('from'), '2026-11-19T03:00:00.000Z');
    assert.equal(values.get('to'), '2026-11-19T04:00:00.000Z');
});

test('the load by queue says what is cut', async ({ visitor }) => {
    const { page } = visitor;
    await visitor.open('/clock?tz=UTC');
    const groups = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((group) => ({
        ...load.groups[0],
        group,
    }));
    await page.route('**/api/v1/load?*', (route) =>
        route.fulfill({ json: { ...load, groups, cut: 'not all are counted' } }),
    );
    await mount(page, 'load-chart.js', 'LoadChart', { by: 'queue' });
    await page.getByText('not all are counted').waitFor();
    await page.getByText('6 of 8 shown').waitFor();
    assert.equal(await page.getByRole('slider').count(), 6);
    await page.getByRole('button', { name: 'Show all 8 groups' }).click();
    assert.equal(await page.getByRole('slider').count(), 8);
});

const none = {
    succeeded: 0,
    failed: 0,
    timedOut: 0,
    cancelled: 0,
    skipped: 0,
    missed: 0,
    dropped: 0,
    withdrawn: 0,
};
const year = {
    year: 2024,
    timeZone: 'Europe/Berlin',
    asOf: '2026-11-19T02:00:00.000Z',
    days: [
        { date: '2024-02-29', slots: { ...none, succeeded: 23, failed: 1 } },
        {
            date: '2024-03-31',
            slots: { ...none, succeeded: 1 },
            backfills: { ...none, succeeded: 5 },
        },
    ],
};

test('the year of a schedule: a cell per day, by arrow keys', async ({ visitor }) => {
    const { page } = visitor;
    await visitor.open('/clock');
    await page.route('**/api/v1/schedules/s/days?*', (route) => route.fulfill({ json: year }));
    await mount(page, 'heat-map.js', 'HeatMap', { schedule: 's', year: 2024 });
    const cell = (name) => page.getByRole('gridcell', { name });
    await cell('Thursday 2024-02-29: 24 slots: 1 failed, 23 succeeded').waitFor();
    assert.equal(await page.getByRole('gridcell').count(), 366);
    await cell('Tuesday 2024-12-31').focus();
    await page.keyboard.press('ArrowUp');
    assert.ok(
        await cell('Monday 2024-12-30').evaluate((element) => element === document.activeElement),
    );
    await page.keyboard.press('ArrowLeft');
    assert.ok(
        await cell('Monday 2024-12-23').evaluate((element) => element === document.activeElement),
    );
    await page.keyboard.press('Home');
    assert.ok(
        await cell('Monday 2024-01-01').evaluate((element) => element === document.activeElement),
    );
    await cell('Sunday 2024-03-31: 1 slot: 1 succeeded; 5 backfill slots: 5 succeeded').click();
    await page.waitForFunction(() => location.hash.startsWith('#/timeline'));
    const values = new URLSearchParams((await page.evaluate(() => location.hash)).split('?')[1]);
    assert.equal(values.get('schedule'), 's');
    assert.equal(values.get('from'), '2024-03-30T23:00:00.000Z', 'midnight in Berlin');
    assert.equal(values.get('to'), '2024-03-31T22:00:00.000Z', 'a day of 23 hours');
});

test('lateness and durations by day', async ({ visitor }) => {
    const { page } = visitor;
    await visitor.open('/clock');
    const group = { count: 10, p50Ms: 12, p95Ms: 900, p99Ms: 61_000, maxMs: 3_600_000 };
    const answer = {
        by: 'day',
        from: '2026-11-17',
        to: '2026-11-19',
        asOf: '2026-11-19T02:00:00.000Z',
        total: group,
        groups: [{ ...group, day: '2026-11-18' }],
    };
    await page.route('**/api/v1/lateness?*', (route) => route.fulfill({ json: answer }));
    await mount(page, 'quantiles.js', 'LatenessChart', { schedule: 's' });
    await page.getByText('10 runs: p50 12ms · p95 900ms · p99 1m 1s · maximum 1h').waitFor();
    await page.getByText('Show as a table').click();
    const cells = page.getByRole('row').filter({ hasText: '2026-11-18' }).getByRole('cell');
    assert.deepEqual(await cells.allInnerTexts(), ['12ms', '900ms', '1m 1s']);
    await page.route('**/api/v1/durations?*', (route) =>
        route.fulfill({
            json: {
                ...answer,
                groups: [],
                total: { count: 0, p50Ms: null, p95Ms: null, p99Ms: null, maxMs: null },
            },
        }),
    );
    await mount(page, 'quantiles.js', 'DurationChart', { queue: 'q' });
    await page.getByText('No run has ended in these days').first().waitFor();
});
