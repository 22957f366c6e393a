// SPDX-License-Identifier: Apache-2.0
//
// The event stream of the page: one for all tabs, and it survives a restart of the server.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';

const TABS = 8;

const { test } = suite();

const document = (id) => ({ id, spec: {}, action: { type: 'queue', queue: 'q' } });
const row = (page, id) => page.getByRole('link', { name: id, exact: true }).first();

// The pages whose request for the event stream is in progress.
function watchStreams(context) {
    const open = new Map();
    context.on('request', (request) => {
        if (request.url().includes('/api/v1/events') && request.headers().accept === 'text/event-stream')
            open.set(request, request.frame().page());
    });
    for (const end of ['requestfinished', 'requestfailed'])
        context.on(end, (request) => open.delete(request));
    context.on('page', (page) => {
        page.on('close', () => {
            for (const [request, owner] of open) if (owner === page) open.delete(request);
        });
    });
    return open;
}

test('a restart of the server is shown and survived', async ({ visit, visitor, server, api }) => {
    visitor.allow(/ERR_|Failed to load resource/);
    await api.post('/api/v1/schedules', document('before'));
    const page = await visit('/schedules');
    await row(page, 'before').waitFor();
    await server.end('SIGKILL');
    await page.getByText('The server does not answer.').waitFor();
    assert.ok(await row(page, 'before').isVisible(), 'the page still shows what it knew');
    await server.restart();
    await page.getByText('The server does not answer.').waitFor({ state: 'detached' });
    await api.post('/api/v1/schedules', document('after'));
    await row(page, 'after').waitFor();
});

test('eight tabs share one event stream', async ({ visitor, server, api }) => {
    const streams = watchStreams(visitor.context);
    const pages = [];
    for (let i = 0; i < TABS; i++) {
        const page = await visitor.newPage();
        await page.goto(`${server.url}/#/schedules`);
        pages.push(page);
    }
    for (const page of pages) await page.getByRole('heading', { name: 'Schedules' }).waitFor();
    await api.post('/api/v1/schedules', document('for-all'));
    for (const page of pages) await row(page, 'for-all').waitFor();
    assert.equal(streams.size, 1);

    /* When its tab is closed, another one reads the stream. */
    const [leader] = streams.values();
    await leader.close();
    const rest = pages.filter((page) => page !== leader);
    await api.post('/api/v1/schedules', document('for-the-rest'));
    for (const page of rest) await row(page, 'for-the-rest').waitFor();
    assert.equal(streams.size, 1);
});

test('a hidden page reads no events', async ({ visitor, server, api }) => {
    const streams = watchStreams(visitor.context);
    const page = await visitor.newPage();
    await page.goto(`${server.url}/#/schedules`);
    await page.getByRole('heading', { name: 'Schedules' }).waitFor();
    await page.locator('.live-live').waitFor();
    assert.equal(streams.size, 1);
    const show = (state) =>
        page.evaluate((value) => {
            Object.defineProperty(document, 'hidden', { value: value === 'hidden', configurable: true });
            Object.defineProperty(document, 'visibilityState', { value, configurable: true });
            document.dispatchEvent(new Event('visibilitychange'));
        }, state);
    await show('hidden');
    await page.locator('.live-off').waitFor();
    assert.equal(streams.size, 0);
    await api.post('/api/v1/schedules', document('meanwhile'));
    await show('visible');
    await row(page, 'meanwhile').waitFor();
});
