// SPDX-License-Identifier: Apache-2.0
//
// What if: an outage, an edit and a new schedule; the numbers are those of the server.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';

const { test } = suite();

const queue = (id, cron) => ({ id, spec: { cron: [cron] }, action: { type: 'queue', queue: 'q' } });
const hash = (page) => page.evaluate(() => location.hash);
const tile = (page, label) =>
    page.locator('.wi-totals .tile', { hasText: label }).locator('.tile-value').innerText();
const answerOf = (page) => page.getByRole('region', { name: 'Answer' });

// An outage of 40 minutes tomorrow, of which all times are round.
const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
const down = { from: `${day}T02:00:00.000Z`, to: `${day}T02:40:00.000Z` };
const outage = `/what-if?from=${down.from}&to=${down.to}`;

test('an outage by a quick choice', async ({ visit, api }) => {
    await api.send('PUT', '/api/v1/schedules/minutely', queue('minutely', '* * * * *'));
    await api.send('PUT', '/api/v1/schedules/noon', queue('noon', '0 12 * * *'));
    const page = await visit('/what-if');
    await page.getByText('Choose when the server is down').waitFor();
    await page.getByRole('button', { name: 'The next hour' }).click();
    await answerOf(page)
        .getByText(/An outage from .* \(1h\) would affect 1 schedule/)
        .waitFor();
    assert.match(await hash(page), /from=.*&to=/);
});

test('the answer has the numbers of the server, worst first', async ({ visit, api }) => {
    const expected = await api.post('/api/v1/what-if', { down, limit: 100 });
    const page = await visit(outage);
    assert.equal(await tile(page, 'due'), String(expected.total.due));
    assert.equal(await tile(page, 'missed'), String(expected.total.missed));
    assert.equal(await tile(page, 'caught up'), String(expected.total.caughtUp));
    // Slots from 02:00 to 02:40 of "every minute"; all but one are missed.
    assert.equal(expected.total.due, 41);
    assert.equal(expected.total.missed, 40);
    const row = answerOf(page).getByRole('row').filter({ hasText: 'minutely' });
    await row.getByText(expected.schedules[0].text).waitFor();
    await row.getByText('Slots', { exact: true }).click();
    await row.getByText('40 missed: catch-up combined it with another slot').waitFor();
    await page.getByText(/The peak (stays|rises|falls)/).waitFor();
    await page.getByText(/are estimates/).waitFor();
    assert.equal(await page.getByRole('row').filter({ hasText: 'noon' }).count(), 0);
});

test('the times of the form are in the zone of the page', async ({ visit, visitor }) => {
    const page = await visit(`${outage}&tz=Asia/Tokyo`);
    assert.equal(await page.getByLabel('Down from').inputValue(), `${day}T11:00`);
    await page.getByLabel('To', { exact: true }).fill(`${day}T12:00`);
    await page.getByRole('button', { name: 'Replay the outage' }).click();
    await visitor.settle();
    assert.equal(
        new URLSearchParams((await hash(page)).split('?')[1]).get('to'),
        `${day}T03:00:00.000Z`,
    );
    await answerOf(page).getByText('(1h)').waitFor();
    await page.goBack();
    await answerOf(page).getByText('(40m)').waitFor();
});

test('a range beyond the limit is refused in the words of the server', async ({
    visitor,
    visit,
}) => {
    visitor.allow(/422/);
    const to = new Date(Date.parse(down.from) + 8 * 86_400_000).toISOString();
    const page = await visit(`/what-if?from=${down.from}&to=${to}`);
    await page.getByRole('alert').getByText('the range is too long; the limit is 7 days').waitFor();
    await page.getByRole('alert').getByText('down.to').waitFor();
});

test('durations and filters', async ({ visit, visitor }) => {
    const page = await visit(outage);
    await page.getByText('Filter and durations').click();
    await page.getByLabel('How long runs take').fill('minutely');
    await page.getByRole('button', { name: 'Replay the outage' }).click();
    await page.getByText('"minutely": write schedule=duration').waitFor();
    await page.getByLabel('How long runs take').fill('minutely=90s');
    await page.getByRole('button', { name: 'Replay the outage' }).click();
    await page.getByText('runs take 1m30s, as given').waitFor();
    await page.getByLabel('Queue').fill('none of them');
    await page.getByRole('button', { name: 'Replay the outage' }).click();
    await visitor.settle();
    await page.getByText('No schedule is affected').waitFor();
});

test('an edit before and after', async ({ visit, api }) => {
    const page = await visit('/what-if');
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Schedule', { exact: true }).fill('minutely');
    await page.getByLabel('Changes').fill('{"spec": ');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.locator('.field-error').waitFor();
    await page.getByLabel('Changes').fill('{"spec": {"cron": ["*/2 * * * *"]}}');
    await page.getByRole('button', { name: 'Compare' }).click();
    await answerOf(page).getByText('minutely has 720 slots instead of 1440').waitFor();
    assert.match(await hash(page), /kind=patch/);
    const { version } = (await api.get('/api/v1/schedules/minutely')).state;
    assert.equal(version, 1, 'nothing is changed');
});

test('a new schedule', async ({ visit }) => {
    const document = encodeURIComponent(JSON.stringify(queue('new', '*/10 * * * *')));
    const page = await visit(`/what-if?kind=new&json=${document}&from=${down.from}&to=${down.to}`);
    await answerOf(page).getByText('new has 4 slots').waitFor();
});

test('a long document is not in the address', async ({ visit, visitor }) => {
    const page = await visit('/what-if?kind=new');
    const long = { ...queue('long', '*/10 * * * *'), description: 'x'.repeat(2000) };
    await page.getByLabel(/^Schedule/).fill(JSON.stringify(long));
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByText('This text is too long for the address').waitFor();
    await visitor.settle();
    assert.ok((await hash(page)).length < 500);
    await answerOf(page).getByText('long has 144 slots').waitFor();
});
