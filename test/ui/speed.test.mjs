// SPDX-License-Identifier: Apache-2.0
//
// How fast the page is.  Limits are those of an idle machine.
import assert from 'node:assert/strict';
import { suite } from './harness.mjs';

const INTERACTIVE_MS = 500; // on loopback

const { test } = suite();

// The fastest of three, because other programs use the machine, too.
test('the page is soon interactive', async ({ visitor, server }) => {
    let best = Infinity;
    for (let i = 0; i < 3; i++) {
        await visitor.page.goto(`${server.url}/?visit=${i}#/`);
        await visitor.page.waitForSelector('#app h1');
        best = Math.min(best, await visitor.page.evaluate(() => performance.now()));
        await visitor.settle();
    }
    assert.ok(best <= INTERACTIVE_MS, `${best} ms`);
});
