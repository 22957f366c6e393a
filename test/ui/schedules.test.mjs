// SPDX-License-Identifier: Apache-2.0
//
// The list of schedules: search, order, filters, and changes of one or many schedules.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';
import { waitFor } from './work.mjs';

const COUNT = 1500; // more than a page of the list, and more than a batch of changes

const { test } = suite({ seed: { schedules: COUNT } });
const { test: without } = suite({ seed: {}, args: ['--catalogue=false'] });

const names = (page) => page.locator('.srow .schedule-name').allInnerTexts();
const rowOf = (page, id) => page.locator('.srow[data-index]', { has: page.getByText(id, { exact: true }) });
const countText = (page) => page.locator('#schedule-count');
const list = (api, query) => api.get(`/api/v1/schedules?${query}`);
const state = async (api, id) => (await api.get(`/api/v1/schedules/${id}?fields=state`)).state;
const number = (n) => new Intl.NumberFormat('en').format(n);

test('the list shows what the server lists, and only the rows that can be seen', async ({ visit, api }) => {
    const page = await visit('/schedules');
    const { schedules, total } = await list(api, 'limit=10&facets=true&fields=id');
    assert.equal(await countText(page).innerText(), `${number(total)} schedules`);
    assert.deepEqual((await names(page)).slice(0, 10), schedules.map(({ id }) => id));
    assert.ok((await page.locator('.srow').count()) < 60);
});

test('scrolling reaches the last schedule', async ({ visit, visitor, api }) => {
    const page = await visit('/schedules');
    const { schedules } = await list(api, 'sort=-id&limit=1&fields=id');
    const last = page.getByText(schedules[0].id, { exact: true });
    while ((await last.count()) === 0) {
        await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
        await visitor.settle();
    }
    assert.equal(await page.locator('[role=table]').getAttribute('aria-rowcount'), String(COUNT));
    assert.ok((await page.locator('.srow').count()) < 60);
});

test('a click on the head of a column sorts, a second one reverses', async ({ visit, visitor, api }) => {
    const page = await visit('/schedules');
    for (const sort of ['nextAt', '-nextAt']) {
        await page.getByRole('button', { name: 'Next run' }).click();
        await visitor.settle();
        assert.match(page.url(), new RegExp(`sort=${sort}(&|$)`));
        const { schedules } = await list(api, `sort=${sort}&limit=5&fields=id`);
        assert.deepEqual((await names(page)).slice(0, 5), schedules.map(({ id }) => id));
    }
    assert.equal(
        await page.getByRole('columnheader', { name: 'Next run' }).getAttribute('aria-sort'),
        'descending',
    );
});

test('search and filters are in the address; Back and a reload keep them', async ({ visit, visitor, api }) => {
    const page = await visit('/schedules');
    await page.getByLabel('Search in names and descriptions').fill('import');
    const { total } = await list(api, 'search=import&facets=true&limit=1');
    await page.getByText(`${number(total)} schedules match`, { exact: true }).waitFor();
    assert.ok((await names(page)).every((name) => name.includes('import')));

    await page.getByRole('group', { name: 'Label' }).getByRole('button', { name: /^tier=1/ }).click();
    const both = await list(api, 'search=import&label=tier=1&facets=true&limit=1');
    await page.getByText(`${number(both.total)} schedules match`, { exact: true }).waitFor();

    await page.reload();
    await page.getByText(`${number(both.total)} schedules match`, { exact: true }).waitFor();
    await page.goBack();
    await page.getByText(`${number(total)} schedules match`, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Clear all' }).click();
    await visitor.settle();
    assert.equal(await countText(page).innerText(), `${number(COUNT)} schedules`);
    assert.doesNotMatch(page.url(), /search/);
});

test('a facet shows how many schedules it would show', async ({ visit, visitor, api }) => {
    const page = await visit('/schedules');
    const { facets } = await list(api, 'facets=true&limit=1');
    const zone = facets.zone[0];
    const choice = page.getByRole('group', { name: 'Time zone' }).getByRole('button').first();
    assert.deepEqual((await choice.innerText()).split(/\s+/), [zone.value, number(zone.count)]);
    await choice.click();
    await page.getByText(`${number(zone.count)} schedules match`, { exact: true }).waitFor();
    await visitor.settle();
    assert.equal(await choice.getAttribute('aria-pressed'), 'true');
    await page.getByRole('button', { name: `Time zone: ${zone.value}` }).click();
    await page.getByText(`${number(COUNT)} schedules`, { exact: true }).waitFor();
});

test('a filter without a match says so', async ({ visit, visitor }) => {
    const page = await visit('/schedules?search=there-is-none');
    await page.getByText('No schedule matches these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await visitor.settle();
    assert.equal(await countText(page).innerText(), `${number(COUNT)} schedules`);
});

test('a row runs its schedule now, or says why not', async ({ visit, api }) => {
    const action = { type: 'queue', queue: 'nobody' };
    await api.send('PUT', '/api/v1/schedules/by-hand', { action });
    const page = await visit('/schedules?search=by-hand');
    await page.getByRole('button', { name: 'Run by-hand now' }).click();
    const toast = page.getByRole('status').getByRole('link', { name: /^r_/ });
    await toast.waitFor();
    const { runs } = await api.get('/api/v1/runs?schedule=by-hand');
    assert.deepEqual(runs.map(({ id, kind }) => [id, kind]), [[await toast.innerText(), 'trigger']]);
    await rowOf(page, 'by-hand').getByText('run open').waitFor();
    await page.getByRole('button', { name: 'Run by-hand now' }).click();
    await page.getByText('by-hand: skipped, because another run of this schedule is open').waitFor();
});

test('a row pauses with a reason and an end, and resumes after a preview', async ({ visit, visitor, api }) => {
    const page = await visit('/schedules?search=market-open');
    await page.getByRole('button', { name: 'Pause market-open' }).click();
    await page.getByLabel('Reason').fill('the exchange moves');
    await page.getByLabel('How long').selectOption({ label: 'For 4 hours' });
    const asked = Date.now();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    const paused = await waitFor(async () => {
        const found = await state(api, 'market-open');
        return found.status === 'paused' && found;
    });
    assert.equal(paused.pausedReason, 'the exchange moves');
    assert.ok(Math.abs(Date.parse(paused.pausedUntil) - asked - 4 * 3_600_000) < 10_000);
    const row = rowOf(page, 'market-open');
    await row.getByText('the exchange moves').waitFor();

    await page.getByRole('button', { name: 'Resume market-open' }).click();
    const forecast = await api.post('/api/v1/schedules/market-open/resume', { dryRun: true });
    await page.getByRole('dialog').getByText(forecast.text).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await waitFor(async () => (await state(api, 'market-open')).status === 'active');
    await page.getByRole('button', { name: 'Pause market-open' }).waitFor();
    await visitor.settle();
});

test('the server says in the dialog what is wrong with a pause', async ({ visitor, visit }) => {
    const page = await visit('/schedules?search=market-open');
    visitor.allow(/status of 4\d\d/);
    await page.getByRole('button', { name: 'Pause market-open' }).click();
    await page.getByLabel('How long').selectOption({ label: 'Until a time …' });
    await page.locator('dialog input[type=datetime-local]').fill('2020-01-01T00:00');
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('dialog').count(), 0);
});

test('the menu of a row works by keyboard and gives the focus back', async ({ visit }) => {
    const page = await visit('/schedules?search=cache-warmer');
    const button = page.getByRole('button', { name: 'More actions for cache-warmer' });
    await button.focus();
    await page.keyboard.press('Enter');
    const items = page.getByRole('menuitem');
    await items.first().waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Open');
    await page.keyboard.press('ArrowUp');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Delete …');
    await page.keyboard.press('Escape');
    await items.first().waitFor({ state: 'detached' });
    assert.ok(await button.evaluate((node) => node === document.activeElement));
});

test('a schedule is deleted from its menu', async ({ visit, api }) => {
    await api.send('PUT', '/api/v1/schedules/zz-short-lived', { action: { type: 'queue', queue: 'web' } });
    const page = await visit('/schedules?search=zz-short-lived');
    await page.getByRole('button', { name: 'More actions for zz-short-lived' }).click();
    await page.getByRole('menuitem', { name: 'Delete …' }).click();
    await page.getByRole('dialog').getByText('It has 0 open runs and 0 waiting starts').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No schedule matches these filters.').waitFor();
    await api.send('GET', '/api/v1/schedules/zz-short-lived', undefined, 404);
});

test('the keyboard moves, selects and opens', async ({ visit, visitor }) => {
    const page = await visit('/schedules');
    const all = await names(page);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('k');
    assert.equal(await page.evaluate(() => document.activeElement.dataset.index), '1');
    await page.keyboard.press('x');
    await page.getByText('1 selected', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('1 selected', { exact: true }).waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await visitor.settle();
    assert.ok(page.url().includes(`#/schedule/${encodeURIComponent(all[1])}`), page.url());
});

test('changes show without a reload', async ({ visit, api }) => {
    const page = await visit('/schedules?search=log-rotation');
    const row = rowOf(page, 'log-rotation');
    await api.post('/api/v1/schedules/log-rotation/pause', { reason: 'from elsewhere' });
    await row.getByText('from elsewhere').waitFor();
    await api.post('/api/v1/schedules/log-rotation/resume', {});
    await row.getByText('from elsewhere').waitFor({ state: 'detached' });
});

test('a new schedule shows without a reload', async ({ visit, api }) => {
    const page = await visit('/schedules?search=brand-new');
    await page.getByText('No schedule matches these filters.').waitFor();
    await api.send('PUT', '/api/v1/schedules/brand-new', { action: { type: 'queue', queue: 'web' } });
    await rowOf(page, 'brand-new').waitFor();
    await api.send('DELETE', '/api/v1/schedules/brand-new');
    await rowOf(page, 'brand-new').waitFor({ state: 'detached' });
});

test('all schedules of a filter are paused, also those that are not loaded', async ({ visit, api }) => {
    const page = await visit('/schedules?label=team=plant');
    const { total, facets } = await list(api, 'label=team=plant&facets=true&limit=1');
    assert.ok(total > 150, 'more than a page');
    assert.ok(facets.status.active > 150);
    await page.getByLabel('Select all schedules that match').check();
    await page.getByText(`all ${number(total)} selected`).waitFor();
    await page.getByRole('button', { name: 'Pause …' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('moving day');
    await page.getByRole('dialog').getByRole('button', { name: `Pause ${number(total)} schedules` }).click();
    await page.getByRole('dialog').getByText(`${number(total)} of ${number(total)} paused`).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    const after = await list(api, 'label=team=plant&limit=1000');
    assert.equal(after.schedules.length, total);
    assert.ok(after.schedules.every((one) => one.state.pausedReason === 'moving day'));

    await page.getByLabel('Select all schedules that match').check();
    await page.getByRole('button', { name: 'Resume …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: `Resume ${number(total)} schedules` }).click();
    await page.getByRole('dialog').getByText(`${number(total)} of ${number(total)} resumed`).waitFor();
    const { schedules } = await list(api, 'label=team=plant&status=paused&limit=10');
    assert.deepEqual(schedules, []);
});

test('only the selected schedules run, one after the other', async ({ visit, api }) => {
    const page = await visit('/schedules?search=web-&action=queue');
    const chosen = (await names(page)).slice(2, 6);
    await page.getByLabel(`Select ${chosen[0]}`, { exact: true }).click();
    await page.getByLabel(`Select ${chosen[3]}`, { exact: true }).click({ modifiers: ['Shift'] });
    await page.getByText('4 selected', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Run now …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run 4 schedules' }).click();
    await page.getByRole('dialog').getByText('4 of 4 run').waitFor();
    for (const id of chosen) {
        const { runs } = await api.get(`/api/v1/runs?schedule=${id}&kind=trigger`);
        assert.ok(runs.length >= 1, id);
    }
});

test('running a whole filter can be stopped', async ({ visit, api }) => {
    const page = await visit('/schedules');
    const before = (await api.get('/api/v1/runs?kind=trigger&limit=1000&fields=id')).runs.length;
    await page.getByLabel('Select all schedules that match').check();
    await page.getByRole('button', { name: 'Run now …' }).click();
    await page.route('**/trigger', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        await route.continue();
    });
    await page.getByRole('dialog').getByRole('button', { name: /^Run [\d,]+ schedules/ }).click();
    await page.getByRole('dialog').getByText(/^[1-9][\d,]* of/).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('dialog').getByText(/stopped$/).waitFor();
    const { runs } = await api.get('/api/v1/runs?kind=trigger&limit=1000&fields=id');
    assert.ok(runs.length > before && runs.length < before + 500, `${before} ${runs.length}`);
});

test('schedules that fail to change are listed, the others change', async ({ visit, api }) => {
    const ids = ['bulk-a', 'bulk-b', 'bulk-closed'];
    for (const id of ids)
        await api.send('PUT', `/api/v1/schedules/${id}`, { action: { type: 'queue', queue: 'web' } });
    await api.post('/api/v1/schedules/bulk-closed/archive', {});
    const page = await visit('/schedules?search=bulk-');
    await rowOf(page, 'bulk-closed').waitFor();
    await page.getByLabel('Select all schedules that match').check();
    await page.getByRole('button', { name: 'Pause …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause 3 schedules' }).click();
    await page.getByRole('dialog').getByText('2 of 3 paused').waitFor();
    const failed = page.getByRole('dialog').getByRole('listitem');
    assert.match(await failed.innerText(), /^bulk-closed .+/);
    assert.equal((await state(api, 'bulk-a')).status, 'paused');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();

    await page.getByLabel('Select all schedules that match').check();
    await page.getByRole('button', { name: 'Delete …' }).click();
    const button = page.getByRole('dialog').getByRole('button', { name: 'Delete 3 schedules' });
    assert.ok(await button.isDisabled());
    await page.getByLabel('Type 3 to confirm').fill('3');
    await button.click();
    await page.getByRole('dialog').getByText('3 of 3 deleted').waitFor();
    assert.deepEqual((await list(api, 'search=bulk-')).schedules, []);
});

without('without the catalogue, the list is by name and says what is missing', async ({ visit, visitor }) => {
    visitor.allow(/409 \(Conflict\)/);
    const page = await visit('/schedules');
    await page.getByText('Counts and most orders and filters are not available').waitFor();
    const all = await names(page);
    assert.ok(all.length >= 10);
    assert.deepEqual(all, [...all].sort());
    await page.getByLabel('Search in names and descriptions').fill('market');
    await rowOf(page, 'broken-sync').waitFor({ state: 'detached' });
    await visitor.settle();
    assert.deepEqual(await names(page), ['market-open']);
});

test('on a phone, filters are in a dialog', async ({ visit, visitor, api }) => {
    const page = await visit('/schedules');
    const { facets } = await list(api, 'facets=true&limit=1');
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('dialog').getByRole('button', { name: /^paused/ }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: /^Show / }).click();
    await visitor.settle();
    assert.equal(await countText(page).innerText(), `${facets.status.paused} schedule${facets.status.paused === 1 ? ' matches' : 's match'}`);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${width}`);
}, { viewport: { width: 390, height: 844 } });
