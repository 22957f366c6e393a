// SPDX-License-Identifier: Apache-2.0
//
// The timeline: what it draws and says, by mouse and by keyboard, and that its state is in the
// address.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';

const DAY = 86_400_000;

const { test } = suite();

const queue = (id, cron, more = {}) => ({
    id,
    spec: { cron: [cron], timezone: 'UTC' },
    action: { type: 'queue', queue: 'q' },
    ...more,
});

const put = (api, document) => api.send('PUT', `/api/v1/schedules/${document.id}`, document);
const hash = (page) => page.evaluate(() => location.hash);
const plot = (page) => page.locator('.tl-plot');
const spoken = (page) => page.locator('.tl > [role=status]').innerText();
const panel = (page) => page.getByRole('complementary', { name: 'Explanation' });

// Until the address is another one than `was`.
const moved = (page, was) => page.waitForFunction((text) => location.hash !== text, was);

// The window that the address names, in milliseconds.
function windowOf(text) {
    const values = new URLSearchParams(text.slice(text.indexOf('?') + 1));
    return { from: Date.parse(values.get('from')), to: Date.parse(values.get('to')) };
}

// Where an instant is on the screen, in the row of a schedule.
async function pointOf(page, id, at, from, to) {
    const row = await page.locator('.tl-row', { hasText: id }).boundingBox();
    const box = await plot(page).boundingBox();
    return { x: box.x + ((at - from) / (to - from)) * box.width, y: row.y + row.height / 2 };
}

// How many pixels of the canvas have been drawn.
function inked(page) {
    return page.evaluate(() => {
        const canvas = document.querySelector('.tl-plot canvas');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let i = 3; i < data.length; i += 4) count += data[i] > 0;
        return count;
    });
}

// Tomorrow from midnight in UTC: only planned slots.
const from = Math.ceil(Date.now() / DAY) * DAY;
const to = from + DAY;
const tomorrow = `/timeline?from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;

test('a row per schedule, in the order of names', async ({ visit, api }) => {
    await put(api, queue('daily', '30 12 * * *'));
    await put(api, queue('hourly', '0 * * * *'));
    await put(api, queue('minutely', '* * * * *'));
    const page = await visit(tomorrow);
    assert.deepEqual(await page.locator('.tl-row').allInnerTexts(), [
        'daily',
        'hourly',
        'minutely',
    ]);
    assert.ok((await inked(page)) > 1000);
});

test('a click on a slot explains it in the words of the server', async ({ visit, api }) => {
    const page = await visit(tomorrow);
    const at = from + 12.5 * 3_600_000;
    const { x, y } = await pointOf(page, 'daily', at, from, to);
    await page.mouse.click(x, y);
    const instant = new Date(at).toISOString();
    const said = await api.get(`/api/v1/schedules/daily/explain?at=${instant}`);
    for (const sentence of said.moments[0].sentences)
        await panel(page).getByText(sentence).waitFor();
    assert.equal(new URLSearchParams((await hash(page)).split('?')[1]).get('at'), instant);
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'detached' });
    assert.ok(!(await hash(page)).includes('open='));
});

test('a click on an empty cell says why nothing runs there', async ({ visit, visitor, api }) => {
    const page = await visit(tomorrow);
    const { x, y } = await pointOf(page, 'daily', from + 18 * 3_600_000, from, to);
    await page.mouse.click(x, y);
    await visitor.settle();
    const at = new URLSearchParams((await hash(page)).split('?')[1]).get('at');
    const { moments } = await api.get(`/api/v1/schedules/daily/explain?at=${at}`);
    assert.equal(moments[0].isSlot, false);
    for (const sentence of moments[0].sentences) await panel(page).getByText(sentence).waitFor();
    await panel(page).getByRole('button', { name: '12:30 ›' }).waitFor();
    await panel(page).getByRole('button', { name: '‹' }).click();
    await panel(page).getByText('It is a slot of').waitFor();
    await page.goBack();
    await page.goBack();
    await panel(page).waitFor({ state: 'detached' });
});

test('arrow keys move between slots and rows, Enter explains', async ({ visit }) => {
    const page = await visit(tomorrow);
    await plot(page).focus();
    await page.keyboard.press('Home');
    assert.match(await spoken(page), /^daily: .* 12:30:00 · planned$/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Home');
    assert.match(await spoken(page), /^hourly: .* 01:00:00 · planned$/);
    await page.keyboard.press('ArrowRight');
    assert.match(await spoken(page), /^hourly: .* 02:00:00 · planned$/);
    await page.keyboard.press('ArrowLeft');
    assert.match(await spoken(page), /^hourly: .* 01:00:00 · planned$/);
    await page.keyboard.press('End');
    assert.match(await spoken(page), /^hourly: .* 23:00:00 · planned$/);
    await page.keyboard.press('Enter');
    await panel(page).getByText('It is a slot of').waitFor();
    await page.keyboard.press('Escape');
    assert.ok(await plot(page).evaluate((element) => element === document.activeElement));
});

test('plus, minus and n change the window', async ({ visit }) => {
    const page = await visit(tomorrow);
    await page.keyboard.press('+');
    await page.waitForFunction(() => location.hash.includes('from='));
    let now = windowOf(await hash(page));
    assert.equal(now.to - now.from, DAY / 2);
    assert.equal((now.from + now.to) / 2, from + DAY / 2);
    await page.keyboard.press('-');
    await page.keyboard.press('-');
    now = windowOf(await hash(page));
    assert.equal(now.to - now.from, 3 * DAY);
    await page.keyboard.press('n');
    await page.waitForFunction(() => !location.hash.includes('from='));
    assert.match(await hash(page), /span=3d/);
});

test('the buttons move and zoom', async ({ visit, visitor }) => {
    const page = await visit('/timeline');
    const button = (name) => page.getByRole('button', { name, exact: true });
    assert.equal(await button('Now').getAttribute('aria-pressed'), 'true');
    await button('Zoom in').click();
    await page.waitForFunction(() => location.hash.includes('span=12h'));
    await page.getByLabel('Length of the window').selectOption('7d');
    await page.waitForFunction(() => location.hash.includes('span=7d'));
    await button('Later').click();
    await page.waitForFunction(() => location.hash.includes('to='));
    const later = await hash(page);
    assert.equal(windowOf(later).to - windowOf(later).from, 7 * DAY);
    await button('Earlier').click();
    await moved(page, later);
    assert.equal(windowOf(await hash(page)).from, windowOf(later).from - 3.5 * DAY);
    await button('Now').click();
    await page.waitForFunction(() => !location.hash.includes('from='));
    await page.getByLabel('Length of the window').selectOption('31d');
    await visitor.settle();
    assert.ok(await button('Zoom out').isDisabled());
});

test('control and wheel zoom at the pointer, a drag moves', async ({ visit }) => {
    const page = await visit(tomorrow);
    const { x, y } = await pointOf(page, 'hourly', from + 6 * 3_600_000, from, to);
    const before = await hash(page);
    await page.mouse.move(x, y);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -120);
    await page.keyboard.up('Control');
    await moved(page, before);
    const address = await hash(page);
    const zoomed = windowOf(address);
    assert.ok(zoomed.to - zoomed.from < DAY);
    const part = (from + 6 * 3_600_000 - zoomed.from) / (zoomed.to - zoomed.from);
    assert.ok(Math.abs(part - 0.25) < 0.01, 'what is below the pointer stays there');
    await page.mouse.down();
    await page.mouse.move(x + 100, y, { steps: 4 });
    await page.mouse.up();
    await moved(page, address);
    const dragged = windowOf(await hash(page));
    assert.ok(dragged.from < zoomed.from);
    assert.ok(Math.abs(dragged.to - dragged.from - (zoomed.to - zoomed.from)) <= 2000);
    assert.equal(await panel(page).count(), 0, 'a drag is not a click');
});

test('filters are in the address and survive a reload', async ({ visit, visitor }) => {
    const page = await visit(tomorrow);
    await page.getByLabel('Filter by name').fill('our');
    await page.waitForFunction(() => document.querySelectorAll('.tl-row').length === 1);
    assert.match(await hash(page), /search=our/);
    await page.reload();
    await visitor.settle();
    assert.deepEqual(await page.locator('.tl-row').allInnerTexts(), ['hourly']);
    await page.getByLabel('Filter by name').fill('nothing has this name');
    await page.getByText('No schedule matches these filters').waitFor();
    await page.getByRole('button', { name: 'Remove the filters' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.tl-row').length === 3);
    await page.getByLabel('Status').selectOption('paused');
    await page.getByText('No schedule matches these filters').waitFor();
    await page.goBack();
    await page.waitForFunction(() => document.querySelectorAll('.tl-row').length === 3);
});

test('a link with schedules shows only these', async ({ visit }) => {
    const page = await visit(`${tomorrow}&schedule=daily,hourly`);
    assert.deepEqual(await page.locator('.tl-row').allInnerTexts(), ['daily', 'hourly']);
    await page.getByRole('button', { name: 'schedule: daily, hourly' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.tl-row').length === 3);
});

test('the table says the same in words', async ({ visit }) => {
    const page = await visit(`${tomorrow}&schedule=daily,minutely`);
    await page.getByRole('button', { name: 'As a table' }).click();
    const rows = page.getByRole('table').getByRole('row');
    await rows.filter({ hasText: 'daily' }).filter({ hasText: '12:30:00 · planned' }).waitFor();
    await rows.filter({ hasText: '1,440 slots planned, one every 1m' }).waitFor();
    await rows.filter({ hasText: 'daily' }).getByRole('button', { name: 'Explain' }).click();
    await panel(page).getByText('It is a slot of').waitFor();
});

test('a day with a clock change has 23 or 25 hours', async ({ visit }) => {
    const axis = (page) => page.locator('.tl-axis').textContent();
    const spring = await visit(
        '/timeline?tz=Europe/Berlin&from=2027-03-26T23:00:00Z&to=2027-03-29T22:00:00Z',
    );
    assert.match(await axis(spring), /Sun 03-28 \(23 h\)/);
    assert.match(await axis(spring), /clocks forward 1 h/);
    const autumn = await visit(
        '/timeline?tz=Europe/Berlin&from=2027-10-29T22:00:00Z&to=2027-11-01T23:00:00Z',
    );
    assert.match(await axis(autumn), /Sun 10-31 \(25 h\)/);
    const inUtc = await visit('/timeline?tz=UTC&from=2027-03-26T23:00:00Z&to=2027-03-29T22:00:00Z');
    assert.doesNotMatch(await axis(inUtc), /clocks/);
});

test('by queue, each with its schedules', async ({ visit, visitor, api }) => {
    await put(api, queue('other', '15 * * * *', { action: { type: 'queue', queue: 'second' } }));
    const page = await visit(tomorrow);
    await page.getByRole('button', { name: 'By queue' }).click();
    await page.getByRole('button', { name: 'second' }).waitFor();
    assert.deepEqual(
        (await page.locator('.tl-row').allInnerTexts()).map((text) => text.replace(/\W/g, '')),
        ['q', 'second'],
    );
    await page.getByRole('button', { name: 'second' }).click();
    await page.getByRole('link', { name: 'other' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'daily' }).count(), 0);
    await page.reload();
    await visitor.settle();
    await page.getByRole('link', { name: 'other' }).waitFor();
    const { x, y } = await pointOf(page, 'second', from + 12 * 3_600_000, from, to);
    await page.mouse.click(x, y);
    await panel(page).getByRole('button', { name: 'Show only its schedules' }).click();
    await page.waitForFunction(() => location.hash.includes('queue=second'));
    assert.deepEqual(await page.locator('.tl-row').allInnerTexts(), ['other']);
});

test('what is cut is said', async ({ visitor }) => {
    const { page } = visitor;
    await page.route('**/api/v1/slots?*', async (route) => {
        const answer = await (await route.fetch()).json();
        answer.cut = 'only a part of everything is here';
        answer.schedules[0].cut = 'this row is too long';
        await route.fulfill({ json: answer });
    });
    await visitor.open(tomorrow);
    await page.getByText('only a part of everything is here').waitFor();
    await page.getByRole('img', { name: 'Incomplete: this row is too long' }).waitFor();
});

test('skipped slots appear without a reload, with their reason', async ({ visit, api }) => {
    await put(api, {
        id: 'busy',
        spec: { intervals: [{ every: '1s' }] },
        action: { type: 'queue', queue: 'nobody' },
        policies: { overlap: 'skip' },
    });
    const [first, last] = [Date.now() - 60_000, Date.now() + 20_000].map((at) =>
        new Date(at).toISOString(),
    );
    const page = await visit(`/timeline?from=${first}&to=${last}&schedule=busy&table=1`);
    await page.getByText('skipped · another run of this schedule was still open').first().waitFor();
});

test('a paused schedule is planned, but will not run', async ({ visit, api }) => {
    await api.post('/api/v1/schedules/daily/pause', { reason: 'test' });
    const page = await visit(`${tomorrow}&schedule=daily`);
    await page.getByRole('img', { name: 'paused' }).waitFor();
    await plot(page).focus();
    await page.keyboard.press('Home');
    assert.match(await spoken(page), /will not run · the schedule is paused/);
    await api.post('/api/v1/schedules/daily/resume', {});
    await page.getByRole('img', { name: 'paused' }).waitFor({ state: 'detached' });
});
