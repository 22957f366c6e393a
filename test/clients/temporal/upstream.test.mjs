// SPDX-License-Identifier: Apache-2.0
//
// Schedules that Temporal's client creates and whose workflows an upstream Temporal runs.  The
// upstream is another gRPC server, which uses Temporal's own message definitions.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as grpc from '@grpc/grpc-js';
import { Client, Connection, ScheduleOverlapPolicy } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import proto from '@temporalio/proto';
import { startServer, until } from './server.mjs';

const { errordetails, history, workflowservice } = proto.temporal.api;
const service = workflowservice.v1;
const NOT_FOUND = 5, ALREADY_EXISTS = 6, UNAVAILABLE = 14;

// ---- the upstream ----

const runs = []; // in order of their starts
const seen = { starts: [], cancels: [], terminations: [], metadata: [] };
let lostAnswers = 0; // starts that succeed but are answered with UNAVAILABLE

class Refusal extends Error {
    constructor(code, details, metadata) {
        super(details);
        Object.assign(this, { code, details, metadata });
    }
}

const settled = (run) => new Promise((resolve) => (run.event ? resolve() : run.waiting.push(resolve)));
const close = (run, attributes) => {
    run.event ??= history.v1.HistoryEvent.fromObject({ eventId: 9, ...attributes });
    for (const resolve of run.waiting.splice(0)) resolve();
};
const find = (id, runId) =>
    runs.findLast((run) => run.start.workflowId === id && (!runId || run.runId === runId));

const startsOf = (id) => seen.starts.filter((one) => one.workflowId.startsWith(`${id}-2`));

// The detail that names the run which has the id, as Temporal sends it.
function taken(run) {
    const metadata = new grpc.Metadata();
    const failure = errordetails.v1.WorkflowExecutionAlreadyStartedFailure.encode({
        startRequestId: run.start.requestId,
        runId: run.runId,
    });
    const details = proto.google.rpc.Status.encode({
        code: ALREADY_EXISTS,
        details: [
            {
                type_url: 'type.googleapis.com/temporal.api.errordetails.v1.WorkflowExecutionAlreadyStartedFailure',
                value: failure.finish(),
            },
        ],
    });
    metadata.set('grpc-status-details-bin', Buffer.from(details.finish()));
    return new Refusal(ALREADY_EXISTS, 'Workflow execution is already running.', metadata);
}

const methods = {
    StartWorkflowExecution(start, metadata) {
        seen.starts.push(start);
        seen.metadata.push(metadata);
        const old = find(start.workflowId);
        const isSame = old?.start.requestId === start.requestId;
        if (old && !isSame && !old.event) {
            throw taken(old);
        }
        const run = isSame ? old : { start, runId: `run-${runs.length + 1}`, waiting: [] };
        if (!isSame) runs.push(run);
        if (lostAnswers > 0) {
            lostAnswers -= 1;
            throw new Refusal(UNAVAILABLE, 'lost');
        }
        return { runId: run.runId };
    },
    async GetWorkflowExecutionHistory(look) {
        const run = find(look.execution.workflowId, look.execution.runId);
        if (!run) throw new Refusal(NOT_FOUND, 'workflow not found');
        if (look.waitNewEvent && look.nextPageToken?.length > 0) await settled(run);
        return run.event ? { history: { events: [run.event] } } : { nextPageToken: Buffer.from('token') };
    },
    RequestCancelWorkflowExecution(request) {
        seen.cancels.push(request);
        const run = find(request.workflowExecution.workflowId);
        close(run, { workflowExecutionCanceledEventAttributes: {} });
        return {};
    },
    async TerminateWorkflowExecution(request) {
        seen.terminations.push(request);
        // Later than the next start, which may be in the same second and have the same id.
        await until(async () => startsOf('kills'), (all) => all.length > 1);
        const run = runs.find((one) => one.runId === request.firstExecutionRunId);
        close(run, { workflowExecutionTerminatedEventAttributes: { reason: request.reason } });
        return {};
    },
};

function definition(name) {
    const request = service[`${name}Request`], response = service[`${name}Response`];
    return {
        path: `/temporal.api.workflowservice.v1.WorkflowService/${name}`,
        requestStream: false,
        responseStream: false,
        requestDeserialize: (bytes) => request.decode(bytes),
        requestSerialize: (message) => Buffer.from(request.encode(message).finish()),
        responseSerialize: (message) => Buffer.from(response.encode(message).finish()),
        responseDeserialize: (bytes) => response.decode(bytes),
    };
}

function startUpstream() {
    const upstream = new grpc.Server();
    const names = Object.keys(methods);
    upstream.addService(
        Object.fromEntries(names.map((name) => [name, definition(name)])),
        Object.fromEntries(
            names.map((name) => [
                name,
                (call, done) =>
                    Promise.resolve()
                        .then(() => methods[name](call.request, call.metadata))
                        .then((answer) => done(null, answer), done),
            ]),
        ),
    );
    return new Promise((resolve, reject) =>
        upstream.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) =>
            error ? reject(error) : resolve({ upstream, port }),
        ),
    );
}

// ---- the tests ----

let server, upstream, connection, schedules;
before(async () => {
    server = await startServer();
    const started = await startUpstream();
    upstream = started.upstream;
    const set = await fetch(`${server.url}/api/v1/namespaces/default`, {
        method: 'PUT',
        body: JSON.stringify({
            settings: {
                allowNetworks: ['127.0.0.1/32'],
                upstream: 'main',
                upstreams: {
                    main: {
                        type: 'temporal',
                        url: `http://127.0.0.1:${started.port}`,
                        namespace: 'prod',
                        apiKey: 'key',
                    },
                },
            },
        }),
    });
    assert.equal(set.status, 200);
    connection = await Connection.connect({ address: server.address });
    schedules = new Client({ connection }).schedule;
});
after(async () => {
    for (const run of runs) close(run, { workflowExecutionCompletedEventAttributes: {} });
    await connection.close();
    await server.stop();
    upstream.forceShutdown();
});

const make = (scheduleId, action = {}, more = {}) =>
    schedules.create({
        scheduleId,
        spec: { calendars: [{ year: 2099 }] },
        action: {
            type: 'startWorkflow',
            workflowType: 'report',
            workflowId: scheduleId,
            taskQueue: 'reports',
            ...action,
        },
        ...more,
    });
const startOf = (id) => until(async () => seen.starts.find((one) => one.workflowId.startsWith(`${id}-2`)), Boolean);
const runOf = (id) => until(async () => runs.find((one) => one.start.workflowId.startsWith(`${id}-2`)), Boolean);
const recent = async (handle, isMet) =>
    (await until(() => handle.describe(), (found) => isMet(found.info.recentActions))).info.recentActions;
const json = (payload) => defaultPayloadConverter.fromPayload(payload);
// Waits for `count` ended runs; returns the newest from the native API, with its attempts.
const endOf = async (id, count = 1) => {
    const { runs: ended } = await until(
        async () => (await fetch(`${server.url}/api/v1/runs?schedule=${id}&state=ended`)).json(),
        (page) => page.runs.length >= count,
    );
    return (await fetch(`${server.url}/api/v1/runs/${ended[0].id}`)).json();
};

test('a trigger starts the workflow in the upstream with everything that the client sent', async () => {
    const handle = await make('all', {
        args: [{ day: 1 }, 'two'],
        memo: { owner: 'me' },
        searchAttributes: { Tenant: ['acme'] },
        workflowExecutionTimeout: '1 hour',
        workflowRunTimeout: '30 minutes',
        workflowTaskTimeout: '10 seconds',
        retry: { maximumAttempts: 7 },
    });
    await handle.trigger();
    const start = await startOf('all');
    assert.equal(start.namespace, 'prod');
    assert.match(start.workflowId, /^all-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.equal(start.workflowType.name, 'report');
    assert.equal(start.taskQueue.name, 'reports');
    assert.deepEqual(start.input.payloads.map(json), [{ day: 1 }, 'two']);
    assert.equal(json(start.memo.fields.owner), 'me');
    assert.deepEqual(json(start.searchAttributes.indexedFields.Tenant), ['acme']);
    assert.equal(json(start.searchAttributes.indexedFields.TemporalScheduledById), 'all');
    assert.equal(`all-${json(start.searchAttributes.indexedFields.TemporalScheduledStartTime)}`, start.workflowId);
    assert.equal(Number(start.workflowExecutionTimeout.seconds), 3600);
    assert.equal(Number(start.workflowRunTimeout.seconds), 1800);
    assert.equal(Number(start.workflowTaskTimeout.seconds), 10);
    assert.equal(start.retryPolicy.maximumAttempts, 7);
    assert.equal(start.workflowIdReusePolicy, 1); // ALLOW_DUPLICATE: it was triggered
    assert.match(start.requestId, /^r_/);
    const metadata = seen.metadata[seen.starts.indexOf(start)];
    assert.deepEqual(metadata.get('authorization'), ['Bearer key']);
    assert.deepEqual(metadata.get('temporal-namespace'), ['prod']);
});

test('the end of the workflow is the end of the run, and its result goes to the next', async () => {
    const handle = await make('ends');
    await handle.trigger();
    const run = await runOf('ends');
    const [running] = await recent(handle, (list) => list.length === 1);
    assert.equal(running.action.workflow.workflowId, run.start.workflowId);
    const result = { payloads: [defaultPayloadConverter.toPayload({ rows: 3 })] };
    close(run, { workflowExecutionCompletedEventAttributes: { result } });
    const end = await endOf('ends');
    assert.equal(end.outcome, 'succeeded');
    await handle.trigger();
    const next = await until(async () => seen.starts.filter((one) => one.workflowId.startsWith('ends-2'))[1], Boolean);
    assert.deepEqual(next.lastCompletionResult.payloads.map(json), [{ rows: 3 }]);
    close(find(next.workflowId), {
        workflowExecutionFailedEventAttributes: { failure: { message: 'no disk', source: 'TypeScriptSDK' } },
    });
    assert.equal((await endOf('ends', 2)).outcome, 'failed'); // once: retries are Temporal's
    assert.match((await endOf('ends', 2)).error.message, /no disk/);
    await handle.trigger();
    const third = await until(async () => seen.starts.filter((one) => one.workflowId.startsWith('ends-2'))[2], Boolean);
    assert.deepEqual(third.lastCompletionResult.payloads.map(json), [{ rows: 3 }]);
    assert.match(third.continuedFailure.message, /no disk/);
});

test('a start whose answer is lost is one workflow', async () => {
    lostAnswers = 2;
    const handle = await make('lost');
    await handle.trigger();
    const run = await runOf('lost');
    await until(async () => seen.starts.filter((one) => one.workflowId === run.start.workflowId), (all) => all.length === 3);
    close(run, { workflowExecutionCompletedEventAttributes: {} });
    assert.equal((await endOf('lost')).outcome, 'succeeded');
    assert.equal(runs.filter((one) => one.start.workflowId === run.start.workflowId).length, 1);
});

test('CANCEL_OTHER asks the running workflow to end, and the new one starts then', async () => {
    const handle = await make('cancels');
    await handle.trigger(ScheduleOverlapPolicy.CANCEL_OTHER);
    const first = await runOf('cancels');
    await handle.trigger(ScheduleOverlapPolicy.CANCEL_OTHER);
    await until(async () => runs.filter((one) => one.start.workflowId.startsWith('cancels-2')), (all) => all.length === 2);
    assert.equal(seen.cancels[0].firstExecutionRunId, first.runId);
    assert.equal((await endOf('cancels')).outcome, 'cancelled');
});

test('TERMINATE_OTHER terminates it, and the new one starts then, also within one second', async () => {
    const handle = await make('kills');
    await handle.trigger(ScheduleOverlapPolicy.TERMINATE_OTHER);
    const first = await runOf('kills');
    await handle.trigger(ScheduleOverlapPolicy.TERMINATE_OTHER);
    await until(async () => first.event, Boolean);
    assert.equal(seen.terminations.length, 1);
    assert.equal(seen.terminations[0].firstExecutionRunId, first.runId);
    assert.ok(first.event.workflowExecutionTerminatedEventAttributes);
    await until(async () => runs.filter((one) => one.start.workflowId.startsWith('kills-2')), (all) => all.length === 2);
});

test('with pauseOnFailure a failure pauses the schedule; a cancellation or termination does not', async () => {
    const handle = await make('pauses', {}, { policies: { pauseOnFailure: true } });
    await handle.trigger();
    close(await runOf('pauses'), { workflowExecutionCanceledEventAttributes: {} });
    assert.equal((await endOf('pauses')).outcome, 'cancelled');
    assert.equal((await handle.describe()).state.paused, false);
    const nth = (n) => until(async () => runs.filter((one) => one.start.workflowId.startsWith('pauses-2'))[n], Boolean);
    await handle.trigger();
    close(await nth(1), { workflowExecutionTerminatedEventAttributes: { reason: 'by hand' } });
    assert.equal((await endOf('pauses', 2)).outcome, 'terminated');
    assert.equal((await handle.describe()).state.paused, false);
    await handle.trigger();
    const next = await nth(2);
    close(next, { workflowExecutionTimedOutEventAttributes: {} });
    await until(() => handle.describe(), (found) => found.state.paused);
});
