// SPDX-License-Identifier: Apache-2.0
//
// Pictures of the views, with the data of seed.mjs: light and dark, and three widths.
//
//     node screenshots.mjs OUT [NAME...]
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Api } from './api.mjs';
import { launchBrowser, newVisitor } from './harness.mjs';
import { ROUTES, routesOf } from './routes.mjs';
import { seed, SERVER_ARGS } from './seed.mjs';
import { startServer } from './server.mjs';

const HOURS = 26; // of history
const SCHEDULES = 60;
const WIDTHS = { desktop: [1440, 900], tablet: [1024, 768], phone: [390, 844] };

const [out, ...wanted] = process.argv.slice(2);
const unknown = wanted.filter((name) => !ROUTES.some((one) => one.name === name));
if (!out || unknown.length > 0) {
    console.error(unknown.length > 0 ? `unknown view: ${unknown.join(', ')}` : 'OUT is missing');
    process.exit(2);
}

async function picture(visitor, file, { route, ready }) {
    const page = await visitor.open(route);
    if (ready) await page.getByText(ready).first().waitFor();
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: join(out, file), animations: 'disabled', caret: 'hide' });
}

async function pictures(browser, server, routes, colorScheme, [width, size]) {
    const visitor = await newVisitor(browser, server.url, {
        colorScheme,
        viewport: { width: size[0], height: size[1] },
        reducedMotion: 'reduce',
    });
    for (const one of routes)
        await picture(visitor, `${one.name}-${width}-${colorScheme}.png`, one);
    const { problems } = visitor;
    visitor.problems = [];
    await visitor.end();
    return problems.map((problem) => `${width} ${colorScheme}: ${problem}`);
}

mkdirSync(out, { recursive: true });
if (wanted.length === 0)
    for (const name of readdirSync(out).filter((one) => one.endsWith('.png'))) rmSync(join(out, name));
const server = await startServer({ clock: true, args: SERVER_ARGS, offset: -HOURS * 3600 });
const browser = await launchBrowser();
try {
    await seed(server, { schedules: SCHEDULES, hours: HOURS });
    const all = await routesOf(new Api(server.url), { schedule: 'sensor-poll' });
    const routes = all.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
    const problems = [];
    for (const width of Object.entries(WIDTHS))
        for (const colorScheme of ['light', 'dark'])
            problems.push(...(await pictures(browser, server, routes, colorScheme, width)));
    for (const problem of problems) console.error(problem);
    process.exitCode = problems.length > 0 ? 1 : 0;
} finally {
    await browser.close();
    await server.stop();
}
