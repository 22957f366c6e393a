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

// ---- stand-ins: every workflow runs until the end of the benchmark

let started = 0, lateness = [], requests = 0;

function conductor(request, answer) {
    request.resume();
    request.on('end', () => {
        if (request.url === '/tick') {
            lateness.push(Date.now() % 1000);
            answer.end('{}');
            return;
        }
        requests++;
        if (request.method === 'POST')
            answer.end(`wf-${++started}`);
        else
            answer.end('{"workflowId":"wf","status":"RUNNING"}');
    });
}

// A gRPC frame; lengths below 128 take one byte.
function frame(fields) {
    const message = Buffer.concat(fields.map(([number, value]) =>
        Buffer.concat([Buffer.from([number << 3 | 2, value.length]), Buffer.from(value)])));
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    return Buffer.concat([head, message]);
}

function reply(stream, fields) {
    if (stream.destroyed)
        return;
    stream.respond({':status': 200, 'content-type': 'application/grpc'}, {waitForTrailers: true});
    stream.on('wantTrailers', () => stream.sendTrailers({'grpc-status': '0'}));
    stream.end(frame(fields));
}

// wait_new_event is field 5 of the request for a history, and only it has the value true (1).
function temporal(stream, headers) {
    const parts = [];
    stream.on('data', part => parts.push(part));
    stream.on('error', () => {});
    stream.on('end', () => {
        const body = Buffer.concat(parts);
        requests++;
        if (headers[':path'].endsWith('/StartWorkflowExecution')) {
            reply(stream, [[1, `run-${++started}`]]);
        } else if (body.includes(Buffer.from([5 << 3, 1]))) {
            if (body.includes('token'))
                setTimeout(() => reply(stream, [[3, 'token']]), 20000);
            else
                reply(stream, [[3, 'token']]);
        } else {
            reply(stream, []);
        }
    });
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
    const end = Date.now() + 600e3;
    while (!await test()) {
        if (Date.now() > end)
            throw new Error(`${what}: not within ten minutes`);
        await sleep(50);
    }
}

const followed = () => metric('belfry_workflows_followed');

async function measure(label) {
    lateness = [];
    requests = 0;
    await sleep(seconds * 1000);
    const sorted = lateness.sort((a, b) => a - b);
    const at = q => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? -1;
    console.log([label, 'starts', sorted.length, 'p50_ms', at(0.5), 'p99_ms', at(0.99),
        'requests_per_s', Math.round(requests / seconds)].join('\t'));
}

async function start(kind) {
    const before = started;
    await call('PUT', `/api/v1/schedules/${kind}`, {
        spec: {cron: ['0 0 1 1 *']},
        action: {type: 'workflow', name: 'wf', queue: 'q', upstream: kind},
        policies: {overlap: 'allowAll'}});
    for (let i = 0; i < count; i += 100)
        await Promise.all(Array.from({length: Math.min(100, count - i)}, () =>
            call('POST', `/api/v1/schedules/${kind}/trigger`, {})));
    await until(() => started - before >= count, `starts of ${kind}`);
}

async function main() {
    const c = http.createServer(conductor).listen(0, '127.0.0.1');
    const t = http2.createServer().on('stream', temporal).listen(0, '127.0.0.1');
    await boot();
    await call('PUT', '/api/v1/namespaces/default', {settings: {
        allowNetworks: ['127.0.0.1/32'],
        upstreams: {
            conductor: {type: 'conductor', url: `http://127.0.0.1:${c.address().port}/api`},
            temporal: {type: 'temporal', url: `http://127.0.0.1:${t.address().port}`}}}});
    await call('PUT', '/api/v1/schedules/tick', {
        spec: {intervals: [{every: '1s'}]},
        action: {type: 'http', url: `http://127.0.0.1:${c.address().port}/tick`}});
    await measure('without');
    const idle = await metric('process_resident_memory_bytes');
    for (const [i, kind] of ['conductor', 'temporal'].entries()) {
        const begin = Date.now();
        await start(kind);
        await until(async () => await followed() === (i + 1) * count, `following ${kind}`);
        console.log([`start ${kind}`, 'count', count, 'ms', Date.now() - begin].join('\t'));
        await measure(`with ${kind}`);
    }
    const busy = await metric('process_resident_memory_bytes');
    console.log(['memory', 'bytes_per_workflow', Math.round((busy - idle) / (2 * count)),
        'resident_bytes', busy].join('\t'));
    const begin = Date.now();
    server.kill('SIGKILL');
    await new Promise(done => server.on('exit', done));
    const ready = await boot();
    await until(async () => await followed() === 2 * count, 'following after a restart');
    console.log(['restart', 'ready_ms', ready, 'followed_ms', Date.now() - begin].join('\t'));
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
