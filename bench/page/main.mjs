// SPDX-License-Identifier: Apache-2.0
//
// Measures lists of schedules that the catalogue sorts, and what the catalogue costs.
// usage: main.mjs BELFRY DIR DATABASE URL COUNT RATE SECONDS PID-OF-POSTGRES
import http from 'node:http';
import fs from 'node:fs';
import net from 'node:net';
import {spawn} from 'node:child_process';

const [belfry, dir, database, url, ...numbers] = process.argv.slice(2);
const [count, rate, seconds, postgres] = numbers.map(Number);
const PER_BULK = 1000, TICKS_PER_S = 100;
const REQUESTS = count < 1000 ? 5 : 200, VIEWS = count < 1000 ? 2 : 20;
const FIRED = 'fires';
const sleep = ms => new Promise(done => setTimeout(done, ms));
const agent = new http.Agent({keepAlive: true, maxSockets: 4});

let port, server;

function request(method, path, body) {
    return new Promise((done, failed) => {
        const sent = http.request({host: '127.0.0.1', port, method, path, agent,
            headers: body ? {'content-type': 'application/json'} : {}}, answer => {
            const parts = [];
            answer.on('data', part => parts.push(part));
            answer.on('end', () => {
                const text = Buffer.concat(parts).toString();
                done({status: answer.statusCode, text});
            });
        });
        sent.on('error', failed);
        sent.end(body ? JSON.stringify(body) : undefined);
    });
}

async function ask(method, path, body) {
    const answer = await request(method, path, body);
    if (answer.status >= 300)
        throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.text === '' ? null : JSON.parse(answer.text);
}

function freePort() {
    return new Promise(done => {
        const socket = net.createServer().listen(0, '127.0.0.1', () => {
            const found = socket.address().port;
            socket.close(() => done(found));
        });
    });
}

async function start(catalogue) {
    const log = fs.openSync(`${dir}/serve.log`, 'a');
    port = await freePort();
    server = spawn(belfry, ['serve', '--db', url, '--listen', `127.0.0.1:${port}`, '--grpc', 'none',
        `--catalogue=${catalogue}`], {stdio: ['ignore', log, log]});
    for (;;) {
        const answer = await request('GET', '/readyz').catch(() => ({status: 0}));
        if (answer.status === 200)
            return;
        await sleep(20);
    }
}

async function stop() {
    const ended = new Promise(done => server.on('exit', done));
    server.kill('SIGTERM');
    await ended;
}

// ---- the schedules: names, zones, labels and queues as in a large installation

function schedule(i) {
    const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'Australia/Sydney'];
    return {
        id: `team${i % 97}-job-${i}`,
        description: `Job number ${i}`,
        labels: {team: `t${i % 97}`, tier: `${i % 4}`, customer: `c${i % 1009}`},
        spec: {cron: [`${i % 60} ${i % 24} ${1 + i % 28} ${1 + i % 12} *`], timezone: zones[i % 5]},
        action: {type: 'queue', queue: `queue${i % 31}`},
    };
}

async function create(from, to, make) {
    for (let first = from; first < to; first += PER_BULK) {
        const items = [];
        for (let i = first; i < Math.min(first + PER_BULK, to); i++)
            items.push(make(i));
        await ask('POST', '/api/v1/bulk/schedules', {items});
    }
}

const fired = i => ({id: `${FIRED}-${i}`, spec: {intervals: [{every: '1s'}]},
    action: {type: 'queue', queue: FIRED}, paused: true});

// ---- measurements

function line(...fields) {
    console.log([database, ...fields].join('\t'));
}

function percentile(times, share) {
    const sorted = [...times].sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

const queries = ['sort=nextAt', 'sort=-nextAt', 'sort=lastRunAt', 'sort=-lastRunAt',
    'sort=lastOutcome', 'sort=-failures', 'sort=-lateness', 'sort=id&facets=true',
    'sort=nextAt&facets=false', 'sort=nextAt&status=active', 'sort=nextAt&health=ok',
    'sort=nextAt&outcome=none', 'sort=nextAt&action=queue', 'sort=nextAt&queue=queue7',
    'sort=nextAt&label=team=t5', 'sort=nextAt&zone=Asia/Tokyo', 'sort=nextAt&search=job-12',
    'sort=nextAt&prefix=team5'];

async function measureQueries(name) {
    let oldest = 0;
    for (const query of queries) {
        const times = [], spent = processorTime();
        let total = 0;
        for (let i = 0; i < REQUESTS; i++) {
            const began = performance.now();
            const answer = await request('GET', `/api/v1/schedules?limit=50&fields=state&${query}`);
            times.push(performance.now() - began);
            if (answer.status !== 200)
                throw new Error(`${query}: ${answer.status} ${answer.text}`);
            const {asOf, total: found} = JSON.parse(answer.text);
            oldest = Math.max(oldest, Date.now() - Date.parse(asOf));
            total = found;
        }
        line(name, query, `p50 ${percentile(times, 0.5).toFixed(2)} ms`,
            `p99 ${percentile(times, 0.99).toFixed(2)} ms`,
            `cpu ${((processorTime() - spent) / REQUESTS).toFixed(2)} ms`, `${total} schedules`);
    }
    return oldest;
}

// ---- what the views of the page ask for besides lists

const at = hours => new Date(Date.now() + hours * 3_600_000).toISOString();
const day = () => `from=${at(-6)}&to=${at(18)}`;

const views = [
    ['overview', 'GET', () => '/api/v1/overview'],
    ['slots of 100', 'GET', () => `/api/v1/slots?${day()}`],
    ['slots of 5,000', 'GET', () => `/api/v1/slots?${day()}&limit=5000`],
    ['load', 'GET', () => `/api/v1/load?${day()}`],
    ['load by queue', 'GET', () => `/api/v1/load?${day()}&by=queue`],
    ['clock changes', 'GET', () => '/api/v1/clock-changes'],
    ['zones', 'GET', () => '/api/v1/zones'],
    ['balance', 'GET', () => '/api/v1/ledger/balance'],
    ['what if', 'POST', () => '/api/v1/what-if',
        () => ({down: {from: at(2), to: at(3)}, filter: {queue: 'queue7'}})],
];

async function measureViews(name) {
    for (const [view, method, path, body] of views) {
        const times = [], sizes = [], spent = processorTime();
        let status;
        for (let i = 0; i < VIEWS; i++) {
            const began = performance.now();
            const answer = await request(method, path(), body?.());
            times.push(performance.now() - began);
            sizes.push(answer.text.length);
            if (answer.status !== 200 && answer.status !== 422)
                throw new Error(`${view}: ${answer.status} ${answer.text}`);
            status = answer.status === 200 ? 'complete' : 'refused: 422';
            if (answer.status === 200 && JSON.parse(answer.text).cut)
                status = 'cut';
        }
        line(name, view, `p50 ${percentile(times, 0.5).toFixed(2)} ms`,
            `p99 ${percentile(times, 0.99).toFixed(2)} ms`,
            `cpu ${((processorTime() - spent) / VIEWS).toFixed(2)} ms`,
            `${Math.max(...sizes)} bytes`, status);
    }
}

async function metric(name) {
    const answer = await request('GET', '/metrics');
    const found = answer.text.match(new RegExp(`^${name}(?:{[^}]*})? (.*)$`, 'm'));
    return found ? Number(found[1]) : 0;
}

// Waits until the catalogue is loaded.
async function loaded() {
    while (await metric('belfry_catalogue_loaded') !== 1)
        await sleep(50);
}

// Processor time of the server, and of PostgreSQL with its processes, in ms.
function processorTime() {
    let ticks = 0;
    for (const pid of fs.readdirSync('/proc').filter(name => /^[0-9]+$/.test(name))) {
        let text;
        try {
            text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
        } catch {
            continue; // it has just ended
        }
        const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
        const isServer = Number(pid) === server.pid;
        if (isServer || Number(pid) === postgres || Number(fields[1]) === postgres && postgres > 0)
            ticks += Number(fields[11]) + Number(fields[12]);
    }
    return ticks * 1000 / TICKS_PER_S;
}

// Processor time of the thread of the catalogue, in ms; 0 without it.
function threadTime() {
    const tasks = `/proc/${server.pid}/task`;
    for (const id of fs.readdirSync(tasks))
        if (fs.readFileSync(`${tasks}/${id}/comm`, 'utf8').trim() === 'catalogue')
            return Number(fs.readFileSync(`${tasks}/${id}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
    return 0;
}

// One worker that completes all runs in batches.
let isWorking = false, completed = 0;

async function work() {
    while (isWorking) {
        const {runs} = await ask('POST', '/api/v1/queues/claim',
            {queues: [FIRED], max: 1000, wait: '1s', fields: ['id', 'fence']});
        if (runs.length === 0)
            continue;
        await ask('POST', '/api/v1/runs/complete',
            {items: runs.map(({id, fence}) => ({id, fence}))});
        completed += runs.length;
    }
}

async function setPaused(isPaused) {
    for (let first = 0; first < rate; first += PER_BULK) {
        const items = [];
        for (let i = first; i < Math.min(first + PER_BULK, rate); i++)
            items.push(`${FIRED}-${i}`);
        await ask('POST', `/api/v1/bulk/schedules/${isPaused ? 'pause' : 'resume'}`, {items});
    }
}

async function withFires(measure) {
    isWorking = true;
    const worker = work();
    await setPaused(false);
    await sleep(seconds > 1 ? 3000 : 0);
    await measure();
    await setPaused(true);
    isWorking = false;
    await worker;
}

async function measureProcessor() {
    const before = completed, began = processorTime(), thread = threadTime();
    await sleep(seconds * 1000);
    const fires = completed - before;
    return {all: (processorTime() - began) * 1000 / fires,
        thread: (threadTime() - thread) * 1000 / fires};
}

async function measureCost() {
    const costs = {on: [], off: []};
    for (const catalogue of ['on', 'off', 'off', 'on', 'on', 'off']) {
        await start(catalogue);
        if (catalogue === 'on')
            await loaded();
        await withFires(async () => costs[catalogue].push(await measureProcessor()));
        await stop();
    }
    const average = list => list.reduce((a, b) => a + b) / list.length;
    for (const [catalogue, list] of Object.entries(costs))
        line('processor', catalogue,
            `${average(list.map(one => one.all)).toFixed(1)} us per fire`,
            `(${list.map(one => one.all.toFixed(1)).join(', ')})`,
            `of which the thread ${average(list.map(one => one.thread)).toFixed(2)} us`);
}

await start('on');
await create(0, count - rate > 0 ? count - rate : 0, schedule);
await create(0, rate, fired);
await stop();
await start('on');
await loaded();
line('load', `${await metric('belfry_catalogue_load_seconds')} s`,
    `${await metric('belfry_catalogue_schedules')} schedules`,
    `${await metric('belfry_catalogue_bytes')} bytes`);
await measureQueries('idle');
await measureViews('idle');
await withFires(async () => {
    const began = completed, at = Date.now();
    const oldest = await measureQueries('fires');
    await measureViews('fires');
    line('age', `at most ${oldest} ms`,
        `at ${((completed - began) * 1000 / (Date.now() - at)).toFixed(0)} fires per second`);
});
await stop();
await measureCost();
agent.destroy();
