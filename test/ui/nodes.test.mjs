// SPDX-License-Identifier: Apache-2.0
//
// Nodes: state, readiness, version, and the clock after a jump.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';

const { test } = suite();

test('the node of this server is up, with its lease and clock', async ({ visit, api }) => {
    const { nodes } = await api.get('/api/v1/nodes');
    const page = await visit('/nodes');
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: nodes[0].name }) });
    assert.match(await row.innerText(), /up[\s\S]* left[\s\S]* ms/);
});

test('readiness and version are those of the server', async ({ visit, api }) => {
    const { version } = await api.get('/version');
    const page = await visit('/nodes');
    await page.getByText('This server accepts requests and has no warnings.').waitFor();
    await page.getByRole('region', { name: 'Version' }).getByText(version, { exact: true }).first().waitFor();
});

test('reasons of a server that is not ready are shown', async ({ visit, visitor }) => {
    visitor.allow(/503/);
    const reasons = [{ code: 'clock', detail: 'the clock jumped' }];
    const body = JSON.stringify({ status: 'not ready', reasons });
    await visitor.page.route('**/readyz', (route) => route.fulfill({ status: 503, contentType: 'application/json', body }));
    const page = await visit('/nodes');
    await page.getByText('not ready').waitFor();
    await page.getByText('the clock jumped').waitFor();
});

test('Accept the clock asks before it does so', async ({ visit, api }) => {
    const page = await visit('/nodes');
    await page.getByRole('button', { name: 'Accept the clock after a jump…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Accept the clock' }).click();
    await page.getByText('The clock is accepted.').waitFor();
    const { entries } = await api.get('/api/v1/audit?everything=true&operation=clock.accept');
    assert.equal(entries.length, 1);
});
