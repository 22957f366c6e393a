// SPDX-License-Identifier: Apache-2.0
//
// Calendars: list, creation, days by click, keyboard and text, conflicts, users, deletion.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';
import { put } from './work.mjs';

const { test } = suite();

const calendar = (api, name) => api.get(`/api/v1/calendars/${name}`);
const day = (page, date) => page.locator(`[data-date="${date}"]`);

test('New calendar creates one and opens it', async ({ visit, api }) => {
    const page = await visit('/calendars');
    await page.getByText('No calendar yet.').waitFor();
    await page.getByRole('button', { name: 'New calendar' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('holidays');
    await page.getByRole('dialog').getByRole('button', { name: 'Create the calendar' }).click();
    await page.getByRole('heading', { name: 'holidays' }).waitFor();
    assert.deepEqual((await calendar(api, 'holidays')).dates, []);
});

test('a calendar that exists is not emptied by creating it again', async ({ visit, api }) => {
    await put(api, '/api/v1/calendars/kept', { dates: ['2026-12-24'] });
    const page = await visit('/calendars');
    await page.getByRole('button', { name: 'New calendar' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('kept');
    await page.getByRole('dialog').getByRole('button', { name: 'Create the calendar' }).click();
    await page.getByRole('dialog').getByRole('alert').getByText('exists already', { exact: false }).waitFor();
    assert.deepEqual((await calendar(api, 'kept')).dates, ['2026-12-24']);
});

test('days are chosen by clicks and saved together', async ({ visit, api }) => {
    await put(api, '/api/v1/calendars/clicked', { dates: ['2026-12-25'] });
    const page = await visit('/calendars/clicked?year=2026');
    assert.equal(await day(page, '2026-12-25').getAttribute('aria-pressed'), 'true');
    await day(page, '2026-12-25').click();
    await day(page, '2026-05-01').click();
    await page.getByText('1 day added, 1 removed').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('version 2', { exact: false }).waitFor();
    assert.deepEqual((await calendar(api, 'clicked')).dates, ['2026-05-01']);
});

test('arrow keys move between days and years, Space chooses', async ({ visit, api }) => {
    await put(api, '/api/v1/calendars/keys', { dates: [] });
    const page = await visit('/calendars/keys?year=2027');
    await day(page, '2027-01-01').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await page.locator('[data-date="2027-01-09"]:focus').waitFor();
    await page.keyboard.press('Space');
    assert.equal(await day(page, '2027-01-09').getAttribute('aria-pressed'), 'true');
    for (const date of ['2027-01-02', '2026-12-26']) {
        await page.keyboard.press('ArrowUp');
        await page.locator(`[data-date="${date}"]:focus`).waitFor();
    }
});

test('dates are pasted as text, and what is no date is named', async ({ visit, api }) => {
    await put(api, '/api/v1/calendars/pasted', { dates: [] });
    const page = await visit('/calendars/pasted?year=2026');
    await page.getByRole('textbox', { name: /^Dates/ }).fill('2026-04-03\n2026-04-06, 2026-02-30');
    await page.getByText('Not a date: 2026-02-30').waitFor();
    assert.equal(await day(page, '2026-04-06').getAttribute('aria-pressed'), 'true');
    await page.getByRole('textbox', { name: /^Dates/ }).fill('2026-04-03\n2026-04-06');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('version 2', { exact: false }).waitFor();
    assert.deepEqual((await calendar(api, 'pasted')).dates, ['2026-04-03', '2026-04-06']);
});

test('a change of somebody else is not overwritten', async ({ visit, visitor, api }) => {
    await put(api, '/api/v1/calendars/shared', { dates: [] });
    const page = await visit('/calendars/shared?year=2026');
    await day(page, '2026-06-01').click();
    await put(api, '/api/v1/calendars/shared', { dates: ['2026-07-01'] });
    visitor.allow(/412/);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('read it again', { exact: false }).waitFor();
    assert.deepEqual((await calendar(api, 'shared')).dates, ['2026-07-01']);
});

test('leaving with unsaved days asks', async ({ visit, api }) => {
    await put(api, '/api/v1/calendars/unsaved', { dates: [] });
    const page = await visit('/calendars/unsaved?year=2026');
    await day(page, '2026-06-01').click();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click();
    await page.getByText('1 day added', { exact: false }).waitFor();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
});

test('schedules that exclude it are found, and Delete warns', async ({ visit, api }) => {
    await put(api, '/api/v1/calendars/used', { dates: ['2026-12-24'] });
    await put(api, '/api/v1/schedules/careful', {
        spec: { cron: ['0 9 * * *'], exclude: { named: ['used'] } },
        action: { type: 'queue', queue: 'q' },
    });
    const page = await visit('/calendars/used');
    await page.getByRole('button', { name: 'Find schedules that use it' }).click();
    await page.getByRole('link', { name: 'careful' }).waitFor();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the calendar' }).click();
    await page.getByRole('heading', { name: 'Calendars' }).waitFor();
    await api.send('GET', '/api/v1/calendars/used', undefined, 404);
});
