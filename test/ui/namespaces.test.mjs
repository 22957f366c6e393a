// SPDX-License-Identifier: Apache-2.0
//
// Namespaces: list, creation, settings, and secrets that are entered again, never shown.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';
import { put } from './work.mjs';

const { test } = suite();

const KEY = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';

const rowOf = (page, name) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
const settingsOf = async (api, name) => (await api.get(`/api/v1/namespaces/${name}`)).settings;

test('New namespace creates one, and it is opened from its row', async ({ visit, api }) => {
    const page = await visit('/namespaces');
    await page.getByRole('button', { name: 'New namespace' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('team');
    await page.getByRole('dialog').getByRole('button', { name: 'Create the namespace' }).click();
    await rowOf(page, 'team').getByRole('button', { name: 'Open' }).click();
    await page.waitForURL(/namespace=team/);
    assert.deepEqual(await settingsOf(api, 'team'), {});
});

test('Edit changes quotas and rates', async ({ visit, api }) => {
    await put(api, '/api/v1/namespaces/limited', { settings: { rateRead: 600 } });
    const page = await visit('/namespaces');
    await rowOf(page, 'limited').getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    assert.equal(await dialog.getByLabel('Read requests per minute').inputValue(), '600');
    await dialog.getByLabel('Maximum number of schedules').fill('500');
    await dialog.getByLabel('Read requests per minute').fill('');
    await dialog.getByRole('button', { name: 'Save the settings' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(await settingsOf(api, 'limited'), { quotaSchedules: 500 });
});

test('secrets have to be entered again, and stay out of the page', async ({ visit, api }) => {
    const upstreams = { main: { type: 'temporal', url: 'http://127.0.0.1:7233', apiKey: 'old-secret' } };
    await put(api, '/api/v1/namespaces/secret', { settings: { upstreams, upstream: 'main', keys: { hook: [KEY] } } });
    const page = await visit('/namespaces');
    await rowOf(page, 'secret').getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('upstreams.main.apiKey').fill('new-secret');
    await dialog.getByRole('button', { name: 'Save the settings' }).click();
    assert.ok(await dialog.isVisible()); // one secret is still missing
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await dialog.getByLabel('keys.hook.0').fill(KEY);
    await dialog.getByRole('button', { name: 'Save the settings' }).click();
    const { settings } = (await sent).postDataJSON();
    assert.equal(settings.upstreams.main.apiKey, 'new-secret');
    assert.deepEqual(settings.keys, { hook: [KEY] });
    await dialog.waitFor({ state: 'detached' });
    await rowOf(page, 'secret').getByRole('button', { name: 'All settings' }).click();
    const text = await page.content();
    for (const secret of ['old-secret', 'new-secret', KEY]) assert.ok(!text.includes(secret));
});

test('the message of the server names the wrong member', async ({ visit, visitor, api }) => {
    await put(api, '/api/v1/namespaces/wrong', {});
    visitor.allow(/400/);
    const page = await visit('/namespaces');
    await rowOf(page, 'wrong').getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('as JSON', { exact: false }).fill('{"upstream": "nowhere"}');
    await page.getByRole('dialog').getByRole('button', { name: 'Save the settings' }).click();
    await page.getByRole('alert').getByText('unknown upstream', { exact: false }).waitFor();
});
