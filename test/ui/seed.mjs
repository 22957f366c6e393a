// SPDX-License-Identifier: Apache-2.0
//
// Fills a server over its API with schedules of all kinds and a history, the same for each seed.
//
// With `hours`, the server must have a clock of its own (startServer({ clock: true })): the past
// hours are lived through in steps, with a worker that succeeds, fails and is slow, so that the
// times of the runs are real.
import { Api } from './api.mjs';
import { Prng } from './prng.mjs';

const STEP_MS = 60_000; // far below the step at which the server distrusts its clock
const BULK = 500; // schedules per request
const WORK_MAX = 200; // runs per claim

// For a server that lives through hours: workers report late, and programs run.
export const SERVER_ARGS = ['--exec=true', '--lease=1d', '--grace=1h'];

const queue = (name, input = {}) => ({ type: 'queue', queue: name, input });

// Each has another kind of spec, action or policy.
export const NAMED = [
    {
        id: 'nightly-backup',
        description: 'Dumps the database and copies it to the second site',
        labels: { team: 'platform', tier: '1' },
        spec: { cron: ['15 2 * * *'], timezone: 'Europe/Berlin' },
        action: queue('backups', { database: 'main' }),
        policies: { retry: { attempts: 3, delay: '1m' }, latenessBudget: '10m' },
    },
    {
        id: 'invoice-export',
        description: 'Sends new invoices to accounting',
        labels: { team: 'billing' },
        spec: { cron: ['*/10 * * * *'], window: { from: '06:00', to: '22:00', rule: 'filter' } },
        action: queue('billing'),
        policies: { overlap: 'bufferOne', retry: { attempts: 2, delay: '5m' } },
    },
    {
        id: 'market-open',
        description: 'Opens the order book on trading days',
        labels: { team: 'trading', tier: '1' },
        spec: { cron: [{ expr: '30 9 * * MON-FRI' }], timezone: 'America/New_York' },
        action: queue('trading'),
        policies: { latenessBudget: '5s' },
    },
    {
        id: 'cache-warmer',
        labels: { team: 'web' },
        spec: { intervals: [{ every: '15m', phase: '2m' }], jitter: '30s' },
        action: queue('web'),
    },
    {
        id: 'sensor-poll',
        description: 'Reads the meters; a slow meter makes it skip a slot',
        labels: { team: 'plant' },
        spec: { intervals: [{ every: '5m' }] },
        action: queue('plant', { meters: 12 }),
        policies: { overlap: 'skip' },
    },
    {
        id: 'shift-handover',
        labels: { team: 'plant' },
        spec: {
            timesOfDay: ['06:00', '14:00', '22:00'],
            timezone: 'Europe/Vienna',
        },
        action: queue('plant'),
    },
    {
        id: 'payroll',
        description: 'Runs after an approval by the controller',
        labels: { team: 'finance', tier: '1' },
        spec: { cron: ['0 9 25 * *'], timezone: 'Europe/London' },
        action: queue('finance'),
        policies: { approval: true },
    },
    {
        id: 'quarter-close',
        labels: { team: 'finance' },
        spec: {
            calendars: [{ month: '1,4,7,10', dayOfMonth: '1-3', hour: '5', dayOfWeek: 'MON-FRI' }],
            timezone: 'Asia/Tokyo',
        },
        action: { type: 'workflow', name: 'quarter-close', input: { depth: 'full' } },
    },
    {
        id: 'yearly-report',
        labels: { team: 'finance' },
        spec: { cron: [{ expr: '0 0 6 1 1 ?', dialect: 'quartz' }] },
        action: { type: 'http', url: 'https://reports.example.com/yearly', method: 'POST' },
    },
    {
        id: 'certificate-check',
        labels: { team: 'platform' },
        spec: {
            cron: [
                {
                    expr: 'DTSTART:20260106T040000Z\nRRULE:FREQ=WEEKLY;BYDAY=TU,TH',
                    dialect: 'rrule',
                },
            ],
        },
        action: { type: 'exec', argv: ['/usr/bin/true'] },
    },
    {
        id: 'log-rotation',
        labels: { team: 'platform' },
        spec: { cron: [{ expr: 'hourly', dialect: 'systemd' }] },
        action: { type: 'exec', argv: ['/usr/bin/true', '--all'] },
    },
    {
        id: 'flaky-import',
        description: 'Fails while the supplier maintains its server',
        labels: { team: 'billing' },
        spec: { cron: ['20 * * * *'] },
        action: queue('imports'),
        policies: { retry: { attempts: 2, delay: '2m' } },
    },
    {
        id: 'broken-sync',
        labels: { team: 'web' },
        spec: { cron: ['40 */2 * * *'] },
        action: queue('imports'),
    },
    {
        id: 'adaptive-scan',
        labels: { team: 'security' },
        spec: { intervals: [{ every: '10m' }] },
        governor: { minInterval: '5m', maxInterval: '2h', backoff: true },
        action: queue('security'),
    },
    {
        id: 'index-rebuild',
        labels: { team: 'web' },
        spec: { cron: ['0 1,13 * * *'] },
        action: queue('heavy'),
        policies: { concurrency: { key: 'database', limit: 1 }, overlap: 'bufferAll' },
    },
    {
        id: 'vacuum',
        labels: { team: 'platform' },
        spec: { cron: ['5 1,13 * * *'] },
        action: queue('heavy'),
        policies: { concurrency: { key: 'database', limit: 1 }, priority: 9 },
    },
    {
        id: 'launch',
        description: 'Once',
        labels: { team: 'web' },
        spec: { at: ['2030-03-01T12:00:00Z'] },
        action: queue('web'),
    },
    {
        id: 'stocktaking',
        labels: { team: 'plant' },
        spec: { cron: ['0 4 * * *'] },
        action: queue('plant'),
        paused: { reason: 'The warehouse is being moved', until: '2030-01-07T06:00:00Z' },
    },
];

const KINDS = [
    (r) => ({ cron: [`${r.below(60)} ${r.below(24)} * * *`] }),
    (r) => ({ cron: [`${r.below(60)} */${r.pick([2, 3, 4, 6])} * * *`] }),
    (r) => ({ cron: [`${r.below(60)} ${r.below(24)} * * ${r.pick(['MON', 'SUN', 'MON-FRI'])}`] }),
    (r) => ({ intervals: [{ every: r.pick(['30m', '1h', '6h', '1d']) }] }),
    (r) => ({ cron: [`0 ${r.below(24)} ${1 + r.below(28)} * *`] }),
    (r) => ({ timesOfDay: [`${String(r.below(24)).padStart(2, '0')}:30`] }),
];
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Sydney'];
const TEAMS = ['billing', 'platform', 'web', 'plant', 'finance', 'security'];
const SUBJECTS = ['report', 'export', 'sync', 'cleanup', 'digest', 'check', 'import', 'archive'];

function generated(prng, i) {
    const team = prng.pick(TEAMS);
    return {
        id: `${team}-${prng.pick(SUBJECTS)}-${i}`,
        labels: { team, tier: String(1 + prng.below(3)) },
        spec: { ...prng.pick(KINDS)(prng), timezone: prng.pick(ZONES) },
        action: queue(prng.percent(20) ? 'imports' : team),
    };
}

async function createAll(api, prng, count) {
    const items = NAMED.slice(0, count);
    for (let i = items.length; i < count; i++) items.push(generated(prng, i));
    for (let at = 0; at < items.length; at += BULK) {
        const part = items.slice(at, at + BULK).map(({ paused, ...document }) => document);
        const { results } = await api.post('/api/v1/bulk/schedules', { items: part });
        const bad = results.find((one) => one.status !== 'ok');
        if (bad) throw new Error(`seed: ${JSON.stringify(bad)}`);
    }
    return items;
}

// A worker that holds runs over several steps.
class Worker {
    constructor(api, prng, queues) {
        Object.assign(this, { api, prng, queues, held: [], isDown: false });
    }

    async claim(stepNumber, queues = this.queues) {
        const { runs } = await this.api.post('/api/v1/queues/claim', {
            queues,
            max: WORK_MAX,
            worker: 'seed-1',
            fields: ['schedule', 'attempt'],
        });
        for (const run of runs) this.held.push({ ...run, until: stepNumber + this.stepsOf(run) });
        return runs.length;
    }

    // In minutes.
    stepsOf({ schedule }) {
        if (schedule === 'index-rebuild') return 30;
        if (schedule === 'sensor-poll') return this.prng.percent(12) ? 12 : 1;
        return 1 + this.prng.below(this.prng.percent(20) ? 25 : 4);
    }

    isFailing({ schedule, attempt }) {
        if (schedule === 'broken-sync') return true;
        if (schedule === 'flaky-import') return this.prng.percent(attempt > 1 ? 40 : 60);
        return this.prng.percent(3);
    }

    async report(stepNumber) {
        const done = this.held.filter(({ until }) => until <= stepNumber);
        this.held = this.held.filter(({ until }) => until > stepNumber);
        const complete = [];
        const fail = [];
        for (const run of done) {
            const { id, fence } = run;
            const log = [`begin ${run.schedule}`, `attempt ${run.attempt}`];
            if (this.isFailing(run))
                fail.push({ id, fence, log, error: this.error() });
            else
                complete.push({
                    id,
                    fence,
                    log: [...log, 'done'],
                    result: { rows: this.prng.below(5000) },
                    llm: { model: 'small', totalTokens: 980, estimatedCostUsd: 0.002 },
                });
        }
        if (complete.length > 0) await this.api.post('/api/v1/runs/complete', { items: complete });
        if (fail.length > 0) await this.api.post('/api/v1/runs/fail', { items: fail });
    }

    error() {
        return this.prng.pick([
            { code: 'timeout', message: 'the supplier did not answer within 30 s' },
            { code: 'http_503', message: '503 Service Unavailable: maintenance until 14:00' },
            { code: 'parse', message: 'line 1042: unexpected end of record' },
        ]);
    }

    async step(stepNumber) {
        // Also an empty claim makes the server look at its clock.
        if (this.isDown) return void (await this.claim(stepNumber, ['nothing']));
        while ((await this.claim(stepNumber)) === WORK_MAX);
        await this.report(stepNumber);
    }
}

// Lives through the hours before now, minute by minute; the worker is away for one hour.
async function live(server, worker, hours) {
    const steps = hours * 60;
    const end = Math.floor(Date.now() / STEP_MS) * STEP_MS;
    for (let i = 0; i <= steps; i++) {
        server.setClock((end - (steps - i) * STEP_MS - Date.now()) / 1000);
        worker.isDown = i > steps / 2 && i <= steps / 2 + 60;
        await worker.step(i);
    }
    server.setClock(0);
}

// What needs no past: triggered runs that have succeeded, failed, are running and wait.
async function trigger(api, worker, items) {
    for (const { id, action, paused } of items.slice(0, 30))
        if (action.type === 'queue' && !paused) await api.post(`/api/v1/schedules/${id}/trigger`, {});
    await worker.step(0);
    for (const id of ['nightly-backup', 'sensor-poll', 'payroll'])
        if (items.some((one) => one.id === id)) await api.post(`/api/v1/schedules/${id}/trigger`, {});
    await worker.claim(0);
}

export async function seed(server, { schedules = NAMED.length, seed: number = 1, hours = 0 } = {}) {
    const api = new Api(server.url);
    const prng = new Prng(number);
    if (hours > 0) server.setClock(-hours * 3600);
    const items = await createAll(api, prng, schedules);
    const queues = [...new Set(items.map(({ action }) => action.queue ?? 'workflow'))];
    const worker = new Worker(api, prng, queues.slice(0, 50));
    for (const { id, paused } of items)
        if (paused) await api.post(`/api/v1/schedules/${id}/pause`, paused);
    await api.send('PUT', '/api/v1/calendars/company-holidays', {
        dates: ['2026-12-25', '2026-12-26', '2027-01-01'],
    });
    if (hours > 0) await live(server, worker, hours);
    await trigger(api, worker, items);
    return { items, worker };
}
