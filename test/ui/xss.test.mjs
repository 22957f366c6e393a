// SPDX-License-Identifier: Apache-2.0
//
// Texts that try to become code (xss.json), as every text of a schedule and of its runs: no view
// executes or loads anything, or asks anything of the person who looks at it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Api } from './api.mjs';
import { suite } from './harness.mjs';
import { routesOf } from './routes.mjs';

const texts = JSON.parse(readFileSync(new URL('xss.json', import.meta.url), 'utf8'));
const REASON_MAX = 200;

const { test } = suite();

function document(text, number, isNamed) {
    return {
        id: isNamed ? text : `text-${number}`,
        description: text,
        labels: isNamed ? { [text.slice(0, 60)]: text, number: String(number) } : { number: text },
        spec: { intervals: [{ every: '1d' }] },
        action: { type: 'queue', queue: isNamed ? text : 'plain', input: { text, [text]: number } },
    };
}

// Returns the id; some texts cannot be ids, names of labels or queues, such as control characters.
async function create(api, text, number) {
    for (const isNamed of [true, false]) {
        const answer = await fetch(`${api.url}/api/v1/schedules`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify(document(text, number, isNamed)),
        });
        if (answer.ok) return (await answer.json()).id;
        assert.equal(answer.status, 400, await answer.text());
    }
    return null;
}

// Names of workers and reasons have no control characters.
function printable(text) {
    return text.replace(/\p{Cc}/gu, ' ').slice(0, REASON_MAX);
}

async function runOnce(api, id, queue, text, isFailing) {
    const at = `/api/v1/schedules/${encodeURIComponent(id)}`;
    await api.post(`${at}/trigger`, {});
    const { runs } = await api.post('/api/v1/queues/claim', {
        queues: [queue],
        max: 10,
        worker: printable(text),
    });
    for (const { id: run, fence } of runs)
        await api.post(`/api/v1/runs/${run}/${isFailing ? 'fail' : 'complete'}`, {
            fence,
            log: [text],
            summary: text,
            ...(isFailing ? { error: { code: 'text', message: text } } : { result: { text } }),
        });
    await api.post(`${at}/pause`, { reason: printable(text) });
}

async function fill(api) {
    const ids = [];
    for (const [i, text] of texts.entries()) {
        const id = await create(api, text, i);
        if (id === null) continue;
        const { action } = await api.get(`/api/v1/schedules/${encodeURIComponent(id)}`);
        await runOnce(api, id, action.queue, text, i % 2 === 1);
        ids.push(id);
    }
    return ids;
}

async function assertCalm(page, route) {
    assert.equal(await page.evaluate(() => window.__xss), undefined, route);
    assert.equal(page.frames().length, 1, `${route} has a frame`);
}

test('there are 200 different texts', async () => {
    assert.ok(new Set(texts).size >= 200);
});

test('code in an attribute is refused and noticed', async ({ visitor, visit }) => {
    const page = await visit('/');
    const noticed = visitor.expect(/^CSP: require-trusted-types-for/);
    visitor.allow(/TrustedScript/); // the message in the console
    const isRefused = await page.evaluate(() => {
        try {
            document.body.setAttribute('onclick', 'window.__xss=1');
            return false;
        } catch (error) {
            return error instanceof TypeError;
        }
    });
    await noticed;
    assert.ok(isRefused);
    await assertCalm(page, '/');
});

test('no text is executed in any view', async ({ server, visitor, visit }) => {
    const api = new Api(server.url);
    const outside = [];
    visitor.page.on('request', (request) => {
        const url = () => request.url();
        if (!url().startsWith(server.url) && !url().startsWith('data:')) outside.push(url());
    });
    const ids = await fill(api);
    assert.ok(ids.length >= 200, `${ids.length} schedules`);
    for (const { route } of await routesOf(api)) await assertCalm(await visit(route), route);
    for (const id of ids) {
        const route = `/schedule/${encodeURIComponent(id)}`;
        await assertCalm(await visit(route), route);
    }
    const { runs } = await api.get('/api/v1/runs?limit=500');
    for (const { id } of runs) await assertCalm(await visit(`/run/${id}`), `/run/${id}`);
    assert.deepEqual(outside, []);
});

test('no text is executed as an address of the page', async ({ visitor, visit }) => {
    visitor.allow(/Failed to load resource/); // there is no such schedule
    for (const text of texts) {
        await assertCalm(await visit(`/${encodeURIComponent(text)}`), text);
        await assertCalm(await visit(`/schedules?search=${encodeURIComponent(text)}`), text);
    }
});
