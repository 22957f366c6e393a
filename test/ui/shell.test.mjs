// SPDX-License-Identifier: Apache-2.0
//
// The page loads, obeys its policy, and stays small.  These tests also run in script/test.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';

const FIRST_LOAD_MAX = 120_000; // bytes, as they are sent

const { test } = suite();

async function assets(url) {
    const html = await (await fetch(`${url}/`)).text();
    return [...html.matchAll(/(?:src|href)="(ui\/[^"]+)"/g)].map(([, path]) => `${url}/${path}`);
}

test('the page loads', async ({ visit }) => {
    const page = await visit('/');
    assert.match(await page.title(), /Belfry/);
    assert.ok((await page.locator('#app').innerText()).length > 0);
    assert.equal(await page.evaluate(() => document.contentType), 'text/html');
});

test('a violation of the policy is noticed', async ({ visitor, visit }) => {
    const page = await visit('/');
    const noticed = visitor.expect(/^CSP: img-src https:\/\/elsewhere/);
    visitor.allow(/elsewhere/); // the message in the console
    await page.evaluate(() => {
        const image = document.createElement('img');
        image.src = 'https://elsewhere.example/pixel.png';
        document.body.append(image);
    });
    await noticed;
});

test('HTML from a string is refused', async ({ visitor, visit }) => {
    const page = await visit('/');
    visitor.allow(/TrustedHTML|trusted-types/);
    const refused = await page.evaluate(() => {
        try {
            document.createElement('div').innerHTML = '<b>x</b>';
            return false;
        } catch (error) {
            return error instanceof TypeError;
        }
    });
    assert.ok(refused);
});

test('the assets may be kept forever', async ({ server }) => {
    const urls = await assets(server.url);
    assert.ok(urls.length >= 2);
    for (const url of urls) {
        const answer = await fetch(url);
        assert.equal(answer.status, 200, url);
        assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
        await answer.arrayBuffer();
    }
});

test('a second visit loads only the page itself', async ({ visitor, visit, server }) => {
    const page = await visit('/');
    await page.goto(`${server.url}/?again#/`);
    await visitor.settle();
    const loaded = await page.evaluate(() =>
        performance.getEntriesByType('resource').map(({ name, transferSize }) => [name, transferSize]),
    );
    const files = loaded.filter(([name]) => name.includes('/ui/'));
    assert.ok(files.length > 3);
    for (const [name, size] of files) assert.equal(size, 0, name);
});

test('the first load is small', async ({ visitor }) => {
    const { page } = visitor;
    const requests = [];
    page.on('requestfinished', (request) => {
        const { pathname } = new URL(request.url());
        if (pathname === '/' || pathname.startsWith('/ui/')) requests.push(request);
    });
    await visitor.open('/');
    let total = 0;
    for (const request of requests) {
        const { responseBodySize, responseHeadersSize } = await request.sizes();
        total += responseBodySize + responseHeadersSize;
    }
    assert.ok(requests.length > 3, `${requests.length} requests`);
    assert.ok(total <= FIRST_LOAD_MAX, `${total} bytes, at most ${FIRST_LOAD_MAX}`);
});
