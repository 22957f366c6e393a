// SPDX-License-Identifier: Apache-2.0
//
// Tests of the page in chromium against a real server.
//
//     const { test } = suite({ seed: { schedules: 10 } });
//     test('the list has a row for each schedule', async ({ visit, server, api }) => {
//         const page = await visit('/schedules');
//         …
//     });
//
// Each file has a server and a browser; each test has its own browser context, without cookies.
// A test fails at an error in the console, an uncaught error, a dialog, or a violation of the
// content security policy, unless it calls allow() with an expression for the message before.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test as register } from 'node:test';
import { chromium } from 'playwright-core';
import { Api } from './api.mjs';
import { seed } from './seed.mjs';
import { startServer } from './server.mjs';

export const CHROMIUM = process.env.BELFRY_CHROMIUM ?? '/usr/bin/chromium';
const TIMEOUT_MS = 30_000; // of one step
const TEST_TIMEOUT_MS = 900_000; // some tests open hundreds of views
const IDLE_TIMES = 5;
const FLAGS = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
];

// In the browser.  Each round has a frame, and the tasks and effects that come after it.
async function isAtRest(times) {
    for (let i = 0; i < times; i++) {
        const before = window.__changes;
        await new Promise((resolve) =>
            requestAnimationFrame(() => requestIdleCallback(() => setTimeout(resolve))),
        );
        if (window.__changes !== before) return false;
    }
    return true;
}

export async function launchBrowser() {
    assert.ok(existsSync(CHROMIUM), `${CHROMIUM} is missing; run script/bootstrap --page`);
    return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

// One page and what went wrong in it.
export class Visitor {
    constructor(context, url) {
        this.context = context;
        this.url = url;
        this.problems = [];
        this.allowed = [];
        this.expected = [];
        this.requests = new Set(); // in progress, without streams
        this.waiting = [];
    }

    allow(expression) {
        this.allowed.push(expression);
    }

    // Resolves at the next problem whose message matches, which does not count.
    expect(expression) {
        return new Promise((resolve) => this.expected.push({ expression, resolve }));
    }

    complain(kind, text) {
        const i = this.expected.findIndex(({ expression }) => expression.test(`${kind}: ${text}`));
        if (i >= 0) this.expected.splice(i, 1)[0].resolve();
        else if (!this.allowed.some((expression) => expression.test(text)))
            this.problems.push(`${kind}: ${text}`);
    }

    async begin() {
        await this.context.exposeBinding('__violation', (_, text) => this.complain('CSP', text));
        await this.context.addInitScript(() => {
            addEventListener('securitypolicyviolation', (e) =>
                window.__violation(`${e.violatedDirective} ${e.blockedURI} ${e.sample}`),
            );
            window.__changes = 0;
            new MutationObserver((list) => (window.__changes += list.length)).observe(document, {
                attributes: true,
                characterData: true,
                childList: true,
                subtree: true,
            });
        });
        this.page = await this.newPage();
        return this;
    }

    // Another tab of the same browser.
    async newPage() {
        const page = await this.context.newPage();
        page.setDefaultTimeout(TIMEOUT_MS);
        page.on('console', (m) => {
            if (m.type() === 'error') this.complain('console', `${m.text()} ${m.location().url}`);
        });
        page.on('pageerror', (error) => this.complain('error', error.stack ?? String(error)));
        page.on('dialog', (dialog) => {
            this.complain('dialog', dialog.message());
            dialog.dismiss();
        });
        page.on('request', (request) => this.note(request));
        page.on('requestfinished', (request) => this.forget(request));
        page.on('requestfailed', (request) => this.forget(request));
        return page;
    }

    note(request) {
        if (request.headers().accept !== 'text/event-stream') this.requests.add(request);
    }

    forget(request) {
        this.requests.delete(request);
        if (this.requests.size > 0) return;
        for (const resolve of this.waiting.splice(0)) resolve();
    }

    // Until nothing is requested and the page is idle several times without having changed.
    async settle(page = this.page) {
        for (let isQuiet = false; !isQuiet || this.requests.size > 0; ) {
            if (this.requests.size > 0) await new Promise((resolve) => this.waiting.push(resolve));
            isQuiet = await page.evaluate(isAtRest, IDLE_TIMES);
        }
    }

    // Opens a view of the page, such as "/schedules?sort=name".
    async open(route, page = this.page) {
        if (page.url().startsWith(`${this.url}/`))
            await page.evaluate((hash) => {
                location.hash = hash;
            }, `#${route}`);
        else await page.goto(`${this.url}/#${route}`);
        await this.settle(page);
        return page;
    }

    // A session, as the page's own login form makes one.
    async login(token) {
        const answer = await this.context.request.post(`${this.url}/api/v1/session`, {
            headers: { Authorization: `Bearer ${token}`, Origin: this.url },
        });
        assert.equal(answer.status(), 201, await answer.text());
    }

    async end() {
        await this.context.close();
        assert.deepEqual(this.problems, []);
    }
}

export async function newVisitor(browser, url, options = {}) {
    const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options });
    return new Visitor(context, url).begin();
}

// Options: `seed` for seed.mjs, `args` and `clock` for the server, `context` for the browser.
export function suite(options = {}) {
    const shared = {};

    before(async () => {
        shared.server = await startServer(options);
        shared.browser = await launchBrowser();
        shared.api = new Api(shared.server.url);
        if (options.seed) shared.seeded = await seed(shared.server, options.seed);
    });
    after(async () => {
        await shared.browser?.close();
        await shared.server?.stop();
    });

    function test(name, run, context = options.context) {
        register(name, { timeout: TEST_TIMEOUT_MS }, async () => {
            const visitor = await newVisitor(shared.browser, shared.server.url, context);
            const visit = (route) => visitor.open(route);
            try {
                await run({ ...shared, visitor, visit });
            } catch (error) {
                await visitor.context.close();
                if (visitor.problems.length > 0) error.message += `\n${visitor.problems.join('\n')}`;
                throw error;
            }
            await visitor.end();
        });
    }
    return { test };
}
