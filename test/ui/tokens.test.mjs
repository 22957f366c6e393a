// SPDX-License-Identifier: Apache-2.0
//
// Tokens: the first one, others, the text that is shown once, and revocation.
import assert from 'node:assert/strict';
import { Api } from './api.mjs';
import { suite } from './harness.mjs';

const { test } = suite();

let admin; // the text of the first token

const rowOf = (page, name) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });

async function create(page, fill) {
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog');
    await fill(dialog);
    await dialog.getByRole('button', { name: 'Create the token' }).click();
    const text = await page.getByRole('dialog').locator('pre').innerText();
    return text.trim();
}

test('the first token is an administrator, and the browser stays logged in', async ({ visit, visitor, server }) => {
    const page = await visit('/tokens');
    await page.getByText('No token yet.').waitFor();
    admin = await create(page, (dialog) => dialog.getByRole('textbox', { name: /^Name/ }).fill('root'));
    assert.match(admin, /^bf_/);
    await page.getByText('This browser is logged in with the new one for 12 hours.').waitFor();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await rowOf(page, 'root').waitFor();
    await visitor.settle();
    assert.ok(!(await page.content()).includes(admin));
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]));
    assert.ok(!stored.includes(admin));
    assert.equal((await fetch(`${server.url}/api/v1/queues`)).status, 401);
});

test('a token has its role and expiry', async ({ visit, visitor, server }) => {
    await visitor.login(admin);
    const page = await visit('/tokens');
    const text = await create(page, async (dialog) => {
        await dialog.getByRole('textbox', { name: /^Name/ }).fill('watcher');
        await dialog.getByLabel('Role').selectOption('viewer');
        await dialog.getByLabel('Expires').selectOption('7d');
    });
    await page.getByRole('button', { name: 'I have copied it' }).click();
    assert.match(await rowOf(page, 'watcher').innerText(), /viewer[\s\S]*default[\s\S]*in [67]d/);
    const caller = await new Api(server.url, text).get('/api/v1/session');
    assert.deepEqual([caller.name, caller.role, caller.namespace], ['watcher', 'viewer', 'default']);
});

test('Revoke asks, and denies the token at once', async ({ visit, visitor, server }) => {
    await visitor.login(admin);
    const { token } = await new Api(server.url, admin).post('/api/v1/tokens', { name: 'brief', role: 'viewer' });
    const page = await visit('/tokens');
    await rowOf(page, 'brief').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke the token' }).click();
    await rowOf(page, 'brief').waitFor({ state: 'detached' });
    await new Api(server.url, token).send('GET', '/api/v1/queues', undefined, 401);
});

test('a viewer does not see what it may not do', async ({ visit, visitor, server }) => {
    const { token } = await new Api(server.url, admin).post('/api/v1/tokens', { name: 'reader', role: 'viewer' });
    await visitor.login(token);
    const page = await visit('/queues');
    assert.equal(await page.getByRole('button', { name: 'New queue' }).count(), 0);
    assert.equal(await page.getByRole('link', { name: 'Tokens' }).count(), 0);
});
