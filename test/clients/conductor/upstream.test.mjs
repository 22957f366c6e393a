// SPDX-License-Identifier: Apache-2.0
//
// Schedules of Conductor's API whose workflows an upstream Conductor starts: the requests that
// it gets, and the records after it accepts or refuses a start.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { startServer, until } from './server.mjs';
import { DefaultLogger, SchedulerClient, orkesConductorClient } from 'conductor-4';

let server, upstream, scheduler;
const started = []; // bodies of POST …/workflow

// Accepts every workflow except `refused`; all complete, except those named `broken`.
function answer(request, response, body) {
    if (request.method === 'POST') {
        const start = JSON.parse(body);
        started.push(start);
        if (start.name === 'refused') {
            response.writeHead(404, { 'Content-Type': 'application/json' });
            return response.end('{"message":"no workflow named refused"}');
        }
        response.writeHead(200, { 'Content-Type': 'text/plain' });
        return response.end(`id-of-${start.name}-${start.idempotencyKey}`);
    }
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const status = request.url.includes('broken') ? 'FAILED' : 'COMPLETED';
    return response.end(JSON.stringify({ status, output: {} }));
}

before(async () => {
    server = await startServer();
    upstream = createServer((request, response) => {
        let body = '';
        request.on('data', (data) => (body += data));
        request.on('end', () => answer(request, response, body));
    });
    await new Promise((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${upstream.address().port}/api`;
    const set = await fetch(`${server.url}/api/v1/namespaces/default`, {
        method: 'PUT',
        body: JSON.stringify({
            settings: {
                allowNetworks: ['127.0.0.1/32'],
                upstream: 'main',
                upstreams: { main: { type: 'conductor', url } },
            },
        }),
    });
    assert.equal(set.status, 200);
    scheduler = new SchedulerClient(
        await orkesConductorClient({ serverUrl: server.url, logger: new DefaultLogger({ level: 'ERROR' }) }),
    );
});
after(async () => {
    await server.stop();
    upstream.close();
    upstream.closeAllConnections();
});

async function recordsOf(name, workflow, state, count) {
    await scheduler.saveSchedule({
        name,
        cronExpression: '* * * * * *',
        startWorkflowRequest: { name: workflow, version: 2, correlationId: 'c', input: { mine: 1 } },
    });
    const query = `scheduleName IN (${name}) AND state IN (${state})`;
    const { results } = await until(
        () => scheduler.search(0, 10, 'scheduledTime:ASC', '*', query),
        (result) => result.totalHits >= count,
    );
    await until(
        async () => (await fetch(`${server.url}/api/v1/runs/${results[0].executionId}`)).json(),
        (run) => run.state === 'ended',
    );
    const all = await scheduler.search(0, 10, '', '*', `executionId='${results[0].executionId}'`);
    assert.equal(all.results[0].state, state); // a record never returns to an earlier state
    await scheduler.deleteSchedule(name);
    return results;
}

test('a workflow that was started is EXECUTED, with the id that the upstream gave', async () => {
    const [record] = await recordsOf('taken', 'report', 'EXECUTED', 1);
    assert.match(record.workflowId, /^id-of-/);
    assert.equal(record.workflowName, 'report');
    const start = started.find((one) => one.input._executionId === record.executionId);
    assert.equal(start.name, 'report');
    assert.equal(start.version, 2);
    assert.equal(start.correlationId, 'c');
    assert.equal(start.input.mine, 1);
    assert.equal(start.input.scheduledTime, record.scheduledTime);
    assert.equal(start.input._scheduledTime, record.scheduledTime);
    assert.equal(start.input._startedByScheduler, 'taken');
    assert.equal(start.input._schedulerCron, '* * * * * * UTC');
    assert.ok(start.input.executionTime >= record.scheduledTime);
    assert.equal(start.input._executedTime, start.input.executionTime);
});

test('a start that is refused is FAILED with the reason, and the next slot comes', async () => {
    const records = await recordsOf('untaken', 'refused', 'FAILED', 2);
    for (const record of records) {
        assert.match(record.reason, /no workflow named refused/);
        assert.equal(record.workflowId, undefined);
    }
    assert.notEqual(records[0].scheduledTime, records[1].scheduledTime);
});

test('a workflow that fails after its start is still EXECUTED', async () => {
    const name = 'fails-later';
    const records = await recordsOf(name, 'broken', 'EXECUTED', 2);
    for (const record of records) assert.match(record.workflowId, /^id-of-broken-/);
});

test('other members of a request reach the upstream as sent', async () => {
    const request = {
        name: 'rich',
        version: 4,
        input: { mine: 2 },
        taskToDomain: { '*': 'blue', audit: 'green' },
        priority: 17,
        workflowDef: { name: 'rich', version: 4, tasks: [{ name: 't', type: 'SIMPLE' }] },
        externalInputPayloadStoragePath: 'bucket/input.json',
    };
    await scheduler.saveSchedule({
        name: 'rich',
        cronExpression: '* * * * * *',
        startWorkflowRequest: request,
    });
    const sent = () => started.find((one) => one.name === 'rich');
    await until(async () => sent() ?? (await fetch(`${server.url}/readyz`)).text(), sent);
    await scheduler.deleteSchedule('rich');
    const { input, correlationId, idempotencyKey, idempotencyStrategy, event, ...rest } = sent();
    assert.equal(event, 'scheduler:rich');
    assert.equal(input.mine, 2);
    assert.equal(input._executionId, idempotencyKey);
    assert.equal(idempotencyStrategy, 'RETURN_EXISTING');
    const { input: _, ...expected } = request;
    assert.deepEqual(rest, expected);
});

test('the idempotency key of a request replaces that of Belfry', async () => {
    await scheduler.saveSchedule({
        name: 'keyed',
        cronExpression: '* * * * * *',
        startWorkflowRequest: {
            name: 'keyed',
            idempotencyKey: 'order-7',
            idempotencyStrategy: 'FAIL',
            priority: '3',
        },
    });
    const sent = () => started.find((one) => one.name === 'keyed');
    await until(async () => sent() ?? (await fetch(`${server.url}/readyz`)).text(), sent);
    await scheduler.deleteSchedule('keyed');
    assert.equal(sent().idempotencyKey, 'order-7');
    assert.equal(sent().idempotencyStrategy, 'FAIL');
    assert.equal(sent().priority, 3);
});

test('a direct start reaches the upstream once, as it was sent', async () => {
    const request = { name: 'direct', input: { mine: 1 }, priority: '3' };
    const start = await fetch(`${server.url}/api/workflow`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(request),
    });
    assert.equal(start.status, 200);
    assert.match(await start.text(), /^id-of-direct-/);
    assert.deepEqual(
        started.filter((one) => one.name === 'direct'),
        [request],
    );
});
