// SPDX-License-Identifier: Apache-2.0
//
// Sessions: with tokens, the page needs one, and keeps only the cookie.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';

const { test } = suite();
let token;

function callerStatus(page) {
    return page.evaluate(async () => (await fetch('/api/v1/session')).status);
}

test('the shell loads without a token, and the API refuses', async ({ api, visitor, visit }) => {
    ({ token } = await api.post('/api/v1/tokens', { name: 'me', role: 'admin', namespace: '*' }));
    visitor.allow(/401 \(Unauthorized\)/);
    assert.equal(await callerStatus(await visit('/')), 401);
});

test('a session opens the page', async ({ visitor, visit }) => {
    await visitor.login(token);
    assert.equal(await callerStatus(await visit('/')), 200);
});

test('no token is in storage, addresses or the log', async ({ server, visitor, visit }) => {
    await visitor.login(token);
    const urls = [];
    visitor.page.on('request', (request) => urls.push(request.url()));
    const page = await visit('/');
    const stored = await page.evaluate(() =>
        JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]),
    );
    const cookies = JSON.stringify(await visitor.context.cookies());
    assert.ok(urls.length > 0 && server.log.length > 0 && cookies.length > 2);
    for (const text of [stored, cookies, urls.join(), server.log.join()])
        assert.ok(!text.includes(token));
});
