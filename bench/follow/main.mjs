// SPDX-License-Identifier: Apache-2.0
//
// Follows many workflows of stand-ins for Conductor and Temporal, and measures how late a
// schedule of one second starts beside them, the memory, and the time of a restart.
// usage: main.mjs BELFRY DIR COUNT SECONDS
import http from 'node:http';
import http2 from 'node:http2';
import fs from 'node:fs';
import {spawn} from 'node:child_process';

const [belfry, dir, countText, secondsText] = process.argv.slice(2);
const count = Number(countText), seconds = Number(secondsText);
const sleep = ms => new Promise(done => setTimeout(done, ms));

// ---- stand-ins: every workflow runs until the benchmark ends it

const running = {conductor: new Set(), temporal: new Map()}; // ids; run ids to workflow ids
const inputs = new Map(); // of Conductor's workflows, by correlation id
const ended = new Map(); // id to the time of its end, until the server has seen it
let started = 0, isWarm = false, lateness = [], notices = [], requests = 0, closed = [];

// The server asks about a workflow that has ended: it has noticed the end.
function notice(id) {
    if (ended.has(id))
        notices.push(Date.now() - ended.get(id));
    ended.delete(id);
}

function conductor(request, answer) {
    const parts = [];
    request.on('data', part => parts.push(part));
    request.on('end', () => {
        if (request.url === '/tick')
            lateness.push(Date.now() % 1000);
        if (!request.url.startsWith('/api/')) {
            answer.end('{}');
            return;
        }
        requests++;
        if (request.method === 'POST') {
            const id = `wf-${++started}`, {correlationId, input} = JSON.parse(Buffer.concat(parts));
            inputs.set(correlationId, {workflowId: id, createTime: started, correlationId, input});
            if (isWarm)
                running.conductor.add(id);
            answer.end(id);
        } else if (request.url.startsWith('/api/workflow/running/')) {
            answer.end(JSON.stringify([...running.conductor]));
        } else if (request.url.includes('/correlated/')) {
            const found = inputs.get(decodeURIComponent(
                request.url.split('/correlated/')[1].split('?')[0]));
            answer.end(JSON.stringify(found ? [found] : []));
        } else {
            const id = request.url.match(/wf-[0-9]+/)[0];
            notice(id);
            answer.end(JSON.stringify({workflowId: id,
                status: running.conductor.has(id) ? 'RUNNING' : 'COMPLETED'}));
        }
    });
}

// Fields with a length; those below 128 take one byte.
function fields(list) {
    return Buffer.concat(list.map(([number, value]) =>
        Buffer.concat([Buffer.from([number << 3 | 2, value.length]), Buffer.from(value)])));
}

function reply(stream, list) {
    const message = fields(list), head = Buffer.alloc(5);
    if (stream.destroyed)
        return;
    head.writeUInt32BE(message.length, 1);
    stream.respond({':status': 200, 'content-type': 'application/grpc'}, {waitForTrailers: true});
    stream.on('wantTrailers', () => stream.sendTrailers({'grpc-status': '0'}));
    stream.end(Buffer.concat([head, message]));
}

// A timestamp: the seconds as a varint in field 1.
function timestamp(ms) {
    const bytes = [1 << 3];
    let seconds = Math.floor(ms / 1000);
    for (; seconds >= 128; seconds = Math.floor(seconds / 128))
        bytes.push(seconds % 128 | 128);
    return Buffer.from([...bytes, seconds]);
}

// Without its frame, a start has the namespace in field 1 and the workflow id in field 2.
function workflowOf(body) {
    const at = 5 + 2 + body[6];
    return body.subarray(at + 2, at + 2 + body[at + 1]).toString();
}

// wait_new_event is field 5 of the request for a history, and only it has the value true (1).
function history(stream, body) {
    const at = body.indexOf('run-'), run = body.subarray(at, at + body[at - 1]).toString();
    if (!running.temporal.has(run)) {
        notice(run);
        reply(stream, [[1, fields([[1, fields([[7, '']])]])]]);
    } else if (body.includes(Buffer.from([5 << 3, 1]))) {
        if (body.includes('token'))
            setTimeout(() => reply(stream, [[3, 'token']]), 20000);
        else
            reply(stream, [[3, 'token']]);
    } else {
        reply(stream, []);
    }
}

function temporal(stream, headers) {
    const parts = [];
    stream.on('data', part => parts.push(part));
    stream.on('error', () => {});
    stream.on('end', () => {
        const body = Buffer.concat(parts), path = headers[':path'];
        requests++;
        if (path.endsWith('/StartWorkflowExecution')) {
            const run = `run-${++started}`;
            if (isWarm)
                running.temporal.set(run, workflowOf(body));
            reply(stream, [[1, run]]);
        } else if (path.endsWith('/ListWorkflowExecutions')) {
            reply(stream, closed.map(({id, run, at}) =>
                [1, fields([[1, fields([[1, id], [2, run]])], [4, timestamp(at)]])]));
        } else {
            history(stream, body);
        }
    });
}

// Ends some workflows; resolves when the server has asked about each of them.
async function endSome(kind, some) {
    const ids = [...running[kind].keys()].filter((_, i, all) =>
        i % Math.ceil(all.length / some) === 0);
    notices = [];
    for (const id of ids) {
        const at = Date.now();
        if (kind === 'temporal')
            closed.push({id: running.temporal.get(id), run: id, at});
        ended.set(id, at);
        running[kind].delete(id);
    }
    await until(() => ended.size === 0, `noticing ends of ${kind}`);
    const sorted = notices.sort((a, b) => a - b);
    console.log([`notice ${kind}`, 'ends', sorted.length, 'p50_ms',
        sorted[Math.floor(sorted.length / 2)], 'max_ms', sorted.at(-1)].join('\t'));
    return ids.length;
}

// ---- the server

const port = 20000 + process.pid % 12000;
const base = `http://127.0.0.1:${port}`;
let server;

async function call(method, path, body) {
    const answer = await fetch(base + path, {
        method, headers: {'content-type': 'application/json'}, body: body && JSON.stringify(body)});
    const text = await answer.text();
    if (!answer.ok)
        throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text;
}

async function boot() {
    const begin = Date.now();
    const log = fs.openSync(`${dir}/serve.log`, 'a');
    server = spawn(belfry, ['serve', '--grpc', 'none', '--listen', `127.0.0.1:${port}`, '--db',
        `sqlite:${dir}/belfry.db`], {stdio: ['ignore', log, log]});
    for (;;) {
        if (server.exitCode !== null)
            throw new Error('the server has ended');
        try {
            await call('GET', '/readyz');
            return Date.now() - begin;
        } catch {
            await sleep(20);
        }
    }
}

async function metric(name) {
    const line = (await call('GET', '/metrics')).split('\n').find(l => l.startsWith(`${name} `));
    return line ? Number(line.split(' ')[1]) : 0;
}

async function until(test, what) {
    const end = Date.now() + 3600e3;
    while (!await test()) {
        if (Date.now() > end)
            throw new Error(`${what}: not within an hour`);
        await sleep(50);
    }
}

const followed = () => metric('belfry_workflows_followed');

async function measure(label) {
    lateness = [];
    requests = 0;
    await sleep(seconds * 1000);
    await until(() => lateness.length > 0, 'a start of the schedule of one second');
    const sorted = lateness.sort((a, b) => a - b);
    const at = q => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? -1;
    console.log([label, 'starts', sorted.length, 'p50_ms', at(0.5), 'p99_ms', at(0.99),
        'requests_per_s', Math.round(requests / seconds)].join('\t'));
}

async function trigger(schedule, times) {
    for (let i = 0; i < times; i += 100)
        await Promise.all(Array.from({length: Math.min(100, times - i)}, () =>
            call('POST', `/api/v1/schedules/${schedule}/trigger`, {})));
}

async function start(kind, times) {
    const before = started;
    await call('PUT', `/api/v1/schedules/${kind}`, {
        spec: {cron: ['0 0 1 1 *']},
        action: {type: 'workflow', name: 'wf', queue: 'q', upstream: kind},
        policies: {overlap: 'allowAll'}});
    await trigger(kind, times);
    await until(() => started - before >= times, `starts of ${kind}`);
}

// Fills the pools and caches of fixed size, by workflows that end at once.
async function warmUp() {
    for (const kind of ['conductor', 'temporal'])
        await start(kind, Math.min(1000, count / 10));
    await until(async () => await followed() === 0, 'the workflows of the warm-up');
    isWarm = true;
}

const resident = () => metric('process_resident_memory_bytes');

async function restart() {
    const begin = Date.now(), before = await followed(), starts = started;
    server.kill('SIGKILL');
    await new Promise(done => server.on('exit', done));
    const ready = await boot();
    await until(async () => await followed() === before, 'following after a restart');
    if (started !== starts)
        throw new Error(`${started - starts} workflows were started twice`);
    console.log(['restart', 'ready_ms', ready, 'followed_ms', Date.now() - begin].join('\t'));
}

async function main() {
    const c = http.createServer(conductor).listen(0, '127.0.0.1');
    const t = http2.createServer().on('stream', temporal).listen(0, '127.0.0.1');
    let open = 0;
    await boot();
    const address = `http://127.0.0.1:${c.address().port}`;
    await call('PUT', '/api/v1/namespaces/default', {settings: {
        allowNetworks: ['127.0.0.1/32'],
        upstreams: {
            conductor: {type: 'conductor', url: `${address}/api`},
            temporal: {type: 'temporal', url: `http://127.0.0.1:${t.address().port}`}}}});
    await warmUp();
    await call('PUT', '/api/v1/schedules/tick', {
        spec: {intervals: [{every: '1s'}]}, action: {type: 'http', url: `${address}/tick`}});
    await measure('without');
    const idle = await resident();
    for (const kind of ['conductor', 'temporal']) {
        const begin = Date.now();
        await start(kind, count);
        open += count;
        await until(async () => await followed() === open, `following ${kind}`);
        console.log([`start ${kind}`, 'count', count, 'ms', Date.now() - begin].join('\t'));
        await measure(`with ${kind}`);
    }
    const busy = await resident();
    console.log(['memory', 'bytes_per_workflow', Math.round((busy - idle) / (2 * count)),
        'resident_bytes', busy, 'idle_bytes', idle].join('\t'));
    for (const kind of ['conductor', 'temporal'])
        open -= await endSome(kind, Math.min(50, count));
    await until(async () => await followed() === open, 'the reports of the ends');
    await restart();
    await measure('after restart');
    const stop = Date.now();
    server.kill('SIGTERM');
    await new Promise(done => server.on('exit', done));
    console.log(['drain', 'ms', Date.now() - stop].join('\t'));
}

main().then(() => process.exit(0), error => {
    console.error(error);
    server?.kill('SIGKILL');
    process.exit(1);
});
