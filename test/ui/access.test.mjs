// SPDX-License-Identifier: Apache-2.0
//
// Accessibility: axe-core finds no violation of WCAG 2 A or AA in any view, light or dark, on a
// desktop or a phone.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { suite } from './harness.mjs';
import { routesOf } from './routes.mjs';
import { SERVER_ARGS } from './seed.mjs';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const HOURS = 6; // of history

const { test } = suite({
    clock: true,
    offset: -HOURS * 3600,
    args: SERVER_ARGS,
    seed: { schedules: 30, hours: HOURS },
});

// evaluate() is of the debugger, which the policy of the page does not concern.
async function violations(page) {
    await page.evaluate(axe);
    const { violations: found } = await page.evaluate(
        (values) => window.axe.run(document, { runOnly: { type: 'tag', values } }),
        RULES,
    );
    return found.flatMap(({ id, help, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html}\n  ${failureSummary}`),
    );
}

test('a violation is found', async ({ visit }) => {
    const page = await visit('/');
    await page.evaluate(() => document.body.append(document.createElement('img')));
    const found = await violations(page);
    assert.ok(found.some((one) => one.startsWith('image-alt')), found.join());
});

const LOOKS = [
    ['light, desktop', { colorScheme: 'light', viewport: { width: 1440, height: 900 } }],
    ['dark, desktop', { colorScheme: 'dark', viewport: { width: 1440, height: 900 } }],
    ['light, phone', { colorScheme: 'light', viewport: { width: 390, height: 844 } }],
];

for (const [look, context] of LOOKS)
    test(
        `no view violates A or AA (${look})`,
        async ({ visit, api }) => {
            const found = [];
            for (const { name, route } of await routesOf(api)) {
                const page = await visit(route);
                for (const one of await violations(page)) found.push(`${name}: ${one}`);
            }
            assert.deepEqual(found, []);
        },
        context,
    );
