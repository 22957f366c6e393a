// SPDX-License-Identifier: Apache-2.0
//
// One run: what became of it, attempts, lateness by cause, log, data, actions and history.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite } from './harness.mjs';
import { claim, complete, fail, heartbeat, put, queueSchedule, trigger, waitFor } from './work.mjs';

const { test } = suite({ args: ['--exec=true'] });

const LINES = 100_000;
const LONG_MS = 50;

const card = (page, name) => page.getByRole('region', { name, exact: true });
const causeRows = (page) => page.locator('.late-table tbody tr');

async function runProgram(api, id, argv) {
    await put(api, `/api/v1/schedules/${id}`, { spec: {}, action: { type: 'exec', argv } });
    return trigger(api, id);
}

test('a succeeded run shows its worker, result and usage', async ({ visit, api }) => {
    await queueSchedule(api, 'good');
    const id = await trigger(api, 'good', { input: { day: 'monday' } });
    const [run] = await claim(api, 'good', 'host-9');
    await complete(api, run, { result: { rows: 12 }, summary: 'twelve rows', llm: { totalTokens: 345 } });
    const page = await visit(`/run/${id}`);
    assert.match(await card(page, 'This run').innerText(), /succeeded[\s\S]*host-9/);
    assert.match(await card(page, 'Result and input').innerText(), /rows: 12/);
    await page.getByRole('button', { name: 'Input', exact: true }).click();
    assert.match(await card(page, 'Result and input').innerText(), /day: "monday"/);
    await page.getByRole('button', { name: 'Tokens and cost' }).click();
    assert.match(await card(page, 'Result and input').innerText(), /345/);
});

test('every attempt is kept with its error, and each has a row of the chart', async ({ visit, api }) => {
    await queueSchedule(api, 'tries', { policies: { retry: { attempts: 3, delay: '100ms' } } });
    const id = await trigger(api, 'tries');
    for (const message of ['first', 'second', 'third']) {
        const run = await waitFor(async () => (await claim(api, 'tries'))[0]);
        await fail(api, run, message);
    }
    const page = await visit(`/run/${id}`);
    const table = await card(page, 'Attempts').innerText();
    for (const message of ['first', 'second', 'third']) assert.ok(table.includes(message), table);
    const labels = await page.locator('.gantt-label').allTextContents();
    for (const label of ['attempt 1', 'attempt 2', 'attempt 3']) assert.ok(labels.some((one) => one.trim() === label));
});

test('the causes of lateness add up to it exactly', async ({ visit, api }) => {
    await queueSchedule(api, 'split', { policies: { retry: { attempts: 2, delay: '1s' } } });
    const id = await trigger(api, 'split');
    await fail(api, (await claim(api, 'split'))[0]);
    const last = await waitFor(async () => (await claim(api, 'split'))[0]);
    await complete(api, last);
    const run = await api.get(`/api/v1/runs/${id}`);
    const late = Date.parse(run.startedAt) - Date.parse(run.due);
    const page = await visit(`/run/${id}`);
    const titles = await causeRows(page).locator('td:nth-child(2)').evaluateAll((cells) => cells.map((cell) => cell.title));
    const parts = titles.map((title) => Number(title.replace(/\D/g, '')));
    assert.equal(parts.reduce((a, b) => a + b), late);
    assert.match(await page.locator('.late-table tfoot').innerText(), new RegExp(`${new Intl.NumberFormat('en').format(late)} ms`));
    assert.ok((await causeRows(page).allInnerTexts()).some((row) => row.includes('Retry wait')));
});

test('a run that nobody claims waits for a worker, and says so', async ({ visit, api }) => {
    await queueSchedule(api, 'lonely');
    const id = await trigger(api, 'lonely');
    const page = await visit(`/run/${id}`);
    await page.getByText('Waits for a worker of the queue lonely.').waitFor();
    await causeRows(page).filter({ hasText: 'No worker' }).waitFor();
});

test('the page follows the run: claimed, running with progress, ended', async ({ visit, api }) => {
    await queueSchedule(api, 'followed');
    const id = await trigger(api, 'followed');
    const page = await visit(`/run/${id}`);
    const [run] = await claim(api, 'followed', 'host-3');
    await card(page, 'This run').getByText('host-3').waitFor();
    await heartbeat(api, run, { progress: { text: 'half', percent: 50 } });
    await complete(api, run, { result: 'finished well' });
    await page.getByText('Succeeded.', { exact: true }).waitFor();
    await card(page, 'Result and input').getByText('finished well').waitFor();
});

test('the log shows what the program wrote, without codes of terminals', async ({ visit, api }) => {
    const id = await runProgram(api, 'noisy', ['/usr/bin/printf', 'plain \\033[31mred\\033[0m text\\nsecond <b>line</b>\\n']);
    const page = await visit(`/run/${id}`);
    await page.locator('.log-row').nth(1).waitFor();
    const texts = await page.locator('.log-text').allInnerTexts();
    assert.deepEqual(texts.slice(0, 2), ['plain red text', 'second <b>line</b>']);
});

test('a live log grows, and follows its end', async ({ visit, api }) => {
    await queueSchedule(api, 'growing');
    const id = await trigger(api, 'growing');
    const [run] = await claim(api, 'growing');
    const page = await visit(`/run/${id}`);
    const log = (from, count) =>
        heartbeat(api, run, { log: Array.from({ length: count }, (_, i) => `line ${from + i}`) });
    await log(1, 3);
    await page.locator('.log-text', { hasText: /^line 3$/ }).waitFor();
    await log(4, 200);
    await page.locator('.log-text', { hasText: /^line 203$/ }).waitFor();
    assert.ok((await page.locator('.log-row').count()) < 100);
    await complete(api, run);
});

// The server limits a log to 1 MiB, so the stream of this one comes from the test.
async function openLongLog({ visit, visitor, api }, name) {
    await queueSchedule(api, name);
    const id = await trigger(api, name);
    await complete(api, (await claim(api, name))[0]);
    const line = (i) => JSON.stringify({ at: '2026-01-05T09:00:00.000Z', stream: 'stdout', attempt: 1, text: `line ${i} of the import` });
    const blocks = Array.from({ length: LINES }, (_, i) => `id: 0.${i + 1}\nevent: line\ndata: ${line(i + 1)}\n\n`);
    const body = `${blocks.join('')}id: 1.0\nevent: end\ndata: {"outcome":"succeeded","truncated":false}\n\n`;
    await visitor.page.route('**/logs?follow=true', (route) => route.fulfill({ contentType: 'text/event-stream', body }));
    const page = await visit(`/run/${id}`);
    await page.getByText('100,000 lines').waitFor();
    return { page, id };
}

test('100,000 lines: search, wrap, follow, download', async (given) => {
    const { page, id } = await openLongLog(given, 'huge');
    assert.ok((await page.locator('.log-row').count()) < 100);
    await page.getByLabel('Search the log').fill('line 99999 of');
    await page.getByText('1 of 1 line').waitFor();
    await page.locator('.log-found').waitFor();
    await page.getByRole('button', { name: 'Wrap' }).click();
    await page.getByRole('button', { name: 'Follow the end' }).click();
    await page.locator('.log-text', { hasText: 'line 100000 of the import' }).waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const file = await saved;
    assert.equal(file.suggestedFilename(), `${id}.log`);
    assert.equal(readFileSync(await file.path(), 'utf8').split('\n').length, LINES + 1);
});

// The best of five, because other programs use the machine, too.
test('scrolling 100,000 lines takes no task over 50 ms', async (given) => {
    const { page } = await openLongLog(given, 'scrolled');
    let best = Infinity;
    for (let i = 0; i < 5; i++) {
        await page.evaluate(() => (document.querySelector('.log-box').scrollTop = 0));
        await given.visitor.settle();
        const longest = await page.evaluate(async () => {
            const tasks = [0];
            const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((one) => one.duration)));
            observer.observe({ type: 'longtask' });
            const box = document.querySelector('.log-box');
            for (let top = 0; top < box.scrollHeight; top += box.scrollHeight / 90) {
                box.scrollTop = top;
                await new Promise(requestAnimationFrame);
            }
            observer.disconnect();
            return Math.max(...tasks);
        });
        best = Math.min(best, longest);
    }
    assert.ok(best <= LONG_MS, `${best} ms`);
});

test('Approve lets a run start, and says who did it', async ({ visit, api }) => {
    await queueSchedule(api, 'asked', { policies: { approval: true } });
    const id = await trigger(api, 'asked');
    const page = await visit(`/run/${id}`);
    await page.getByText('Waits until somebody approves or rejects it.').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('looks right');
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Waits for a worker of the queue asked.').waitFor();
    await card(page, 'Who did what').getByText('local approved it').waitFor();
    await page.locator('.log-text', { hasText: 'looks right' }).waitFor();
});

test('Reject ends it with the reason', async ({ visit, api }) => {
    await queueSchedule(api, 'denied', { policies: { approval: true } });
    const page = await visit(`/run/${await trigger(api, 'denied')}`);
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('wrong month');
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
    await card(page, 'This run').getByText('wrong month').waitFor();
});

test('Cancel asks the worker, Terminate ends the run at once', async ({ visit, api }) => {
    await queueSchedule(api, 'stopped');
    const id = await trigger(api, 'stopped');
    await claim(api, 'stopped');
    const page = await visit(`/run/${id}`);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Terminate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Terminate run' }).click();
    await page.locator('.sub', { hasText: 'Terminated' }).waitFor();
    assert.equal((await api.get(`/api/v1/runs/${id}`)).outcome, 'terminated');
});

test('Retry with another input triggers the schedule and opens the new run', async ({ visit, api }) => {
    await queueSchedule(api, 'again');
    const id = await trigger(api, 'again', { input: { day: 1 } });
    await fail(api, (await claim(api, 'again'))[0]);
    const page = await visit(`/run/${id}`);
    await page.getByRole('button', { name: 'Retry' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Use another input').check();
    await dialog.getByLabel('Input', { exact: false }).last().fill('{"day": 2}');
    await dialog.getByRole('button', { name: 'Start a new run' }).click();
    await page.waitForURL((url) => !url.hash.includes(id));
    const { runs } = await api.get('/api/v1/runs?schedule=again&state=open');
    assert.deepEqual(runs[0].input, { day: 2 });
});

test('a run that does not exist is an error with the message of the server', async ({ visit, visitor }) => {
    visitor.allow(/404 \(Not Found\)/);
    const page = await visit('/run/r_00000000000000000000000');
    await page.getByRole('alert').waitFor();
});
