// SPDX-License-Identifier: Apache-2.0
//
// Runs Temporal's own, unmodified client against the server: every method for schedules, and
// how it reports refusals.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
    Client,
    Connection,
    NamespaceNotFoundError,
    ScheduleAlreadyRunning,
    ScheduleNotFoundError,
    ScheduleOverlapPolicy,
    ServiceError,
} from '@temporalio/client';
import { startServer } from './server.mjs';

const INVALID = 3, DENIED = 7, FAILED_PRECONDITION = 9, UNIMPLEMENTED = 12, UNAUTHENTICATED = 16;
const action = (more = {}) => ({ type: 'startWorkflow', workflowType: 'report', taskQueue: 'reports', ...more });
const never = { calendars: [{ year: 2099 }] };

let server, connection, client, schedules;
before(async () => {
    server = await startServer();
    connection = await Connection.connect({ address: server.address });
    client = new Client({ connection });
    schedules = client.schedule;
});
after(async () => {
    await connection.close();
    await server.stop();
});

const make = (scheduleId, more = {}) => schedules.create({ scheduleId, spec: never, action: action(), ...more });
const native = async (method, path, body) => {
    const answer = await fetch(`${server.url}/api/v1${path}`, {
        method,
        body: body && JSON.stringify(body),
        headers: body && { 'content-type': 'application/json' },
    });
    return answer.status === 204 ? null : answer.json();
};
const full = (from, to, step = 1) => [{ start: from, end: to, step }];

describe('connecting', () => {
    test('the server says that it has schedules', async () => {
        const info = await connection.workflowService.getSystemInfo({});
        assert.equal(info.capabilities.supportsSchedules, true);
        assert.equal((await connection.workflowService.getClusterInfo({})).serverVersion, info.serverVersion);
    });
    test('it is healthy', async () => {
        assert.equal((await connection.healthService.check({})).status, 1);
        const service = 'temporal.api.workflowservice.v1.WorkflowService';
        assert.equal((await connection.healthService.check({ service })).status, 1);
        assert.equal((await connection.healthService.check({ service: 'other' })).status, 3);
    });
    test('a namespace is described', async () => {
        const { namespaceInfo } = await connection.workflowService.describeNamespace({ namespace: 'default' });
        assert.equal(namespaceInfo.name, 'default');
        assert.equal(namespaceInfo.supportsSchedules, true);
    });
    test('a method that only an upstream can answer is not implemented', async () => {
        await assert.rejects(connection.workflowService.countWorkflowExecutions({ namespace: 'default' }),
            { code: UNIMPLEMENTED, details: /upstream/ });
    });
    test('gRPC over HTTP/1.1 is refused', async () => {
        const status = await new Promise((resolve, reject) => {
            const path = '/temporal.api.workflowservice.v1.WorkflowService/GetSystemInfo';
            const ask = request(`${server.url}${path}`, {
                method: 'POST',
                headers: { 'content-type': 'application/grpc' },
            });
            ask.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject);
            ask.end(Buffer.alloc(5));
        });
        assert.equal(status, 415);
    });
});

describe('create and describe', () => {
    test('describe returns what was created, cron expressions as calendars', async () => {
        const handle = await make('rich', {
            spec: {
                cronExpressions: ['30 12 * * MON-FRI # lunch'],
                calendars: [{ hour: { start: 9, end: 17, step: 2 }, comment: 'work' }],
                intervals: [{ every: '1h', offset: '5m' }],
                skip: [{ dayOfWeek: 'SATURDAY' }],
                startAt: new Date('2024-01-01T00:00:00.500Z'),
                endAt: new Date('2090-01-01T00:00:00Z'),
                jitter: '30s',
                timezone: 'America/New_York',
            },
            action: action({
                workflowId: 'base',
                args: [1, 'two', { three: 3 }],
                memo: { a: 1 },
                workflowRunTimeout: '1h',
                retry: { maximumAttempts: 3 },
            }),
            policies: { overlap: ScheduleOverlapPolicy.BUFFER_ONE, catchupWindow: '1 day', pauseOnFailure: true },
            state: { note: 'a note', paused: true, remainingActions: 5 },
            memo: { owner: 'me' },
            searchAttributes: { Team: ['blue'] },
        });
        const got = await handle.describe();
        const rest = { dayOfMonth: full(1, 31), month: full('JANUARY', 'DECEMBER'), year: [] };
        assert.deepEqual(got.spec.calendars, [
            { second: full(0, 0), minute: full(0, 0), hour: full(9, 17, 2), ...rest,
              dayOfWeek: full('SUNDAY', 'SATURDAY'), comment: 'work' },
            { second: full(0, 0), minute: full(30, 30), hour: full(12, 12), ...rest,
              dayOfWeek: full('MONDAY', 'FRIDAY'), comment: 'lunch' },
        ]);
        assert.deepEqual(got.spec.intervals, [{ every: 3600000, offset: 300000 }]);
        assert.deepEqual(got.spec.skip[0].dayOfWeek, full('SATURDAY', 'SATURDAY'));
        assert.equal(got.spec.startAt.toISOString(), '2024-01-01T00:00:00.500Z');
        assert.equal(got.spec.endAt.toISOString(), '2090-01-01T00:00:00.000Z');
        assert.equal(got.spec.jitter, 30000);
        assert.equal(got.spec.timezone, 'America/New_York');
        assert.equal(got.action.workflowId, 'base');
        assert.equal(got.action.workflowType, 'report');
        assert.equal(got.action.taskQueue, 'reports');
        assert.deepEqual(got.action.args, [1, 'two', { three: 3 }]);
        assert.deepEqual(got.action.memo, { a: 1 });
        assert.equal(got.action.workflowRunTimeout, 3600000);
        assert.equal(got.action.retry.maximumAttempts, 3);
        assert.deepEqual(got.policies, { overlap: 'BUFFER_ONE', catchupWindow: 86400000, pauseOnFailure: true });
        assert.deepEqual(got.state, { note: 'a note', paused: true, remainingActions: 5 });
        assert.deepEqual(got.memo, { owner: 'me' });
        assert.deepEqual(got.searchAttributes, { Team: ['blue'] });
        assert.equal(got.info.numActionsTaken, 0);
        assert.equal(got.info.nextActionTimes.length, 5); // as many as remain
        assert.ok(Math.abs(got.info.createdAt - Date.now()) < 60_000);
        assert.equal(got.info.lastUpdatedAt, undefined);
    });
    test('omitted fields have their defaults', async () => {
        const got = await (await make('plain', { spec: {} })).describe();
        assert.equal(got.action.workflowId, 'plain-workflow');
        assert.equal(got.policies.overlap, 'SKIP');
        assert.equal(got.policies.catchupWindow, 365 * 86_400_000);
        assert.equal(got.state.paused, false);
        assert.equal(got.state.remainingActions, undefined);
        assert.deepEqual(got.info.nextActionTimes, []);
    });
    test('a new schedule can be triggered and backfilled at once', async () => {
        const handle = await make('begun', {
            spec: { intervals: [{ every: '1 day' }] },
            policies: { overlap: ScheduleOverlapPolicy.ALLOW_ALL },
            state: {
                triggerImmediately: true,
                backfill: [{ start: new Date('2026-01-01T00:00:00Z'), end: new Date('2026-01-02T00:00:00Z') }],
            },
        });
        const { info } = await handle.describe();
        assert.equal(info.numActionsTaken, 3);
        const ids = info.recentActions.map((a) => a.action.workflow.workflowId);
        assert.ok(ids.includes('begun-workflow-2026-01-01T00:00:00Z'));
        assert.ok(ids.includes('begun-workflow-2026-01-02T00:00:00Z'));
    });
    test('a repeated request is executed once', async () => {
        const asked = {
            namespace: 'default',
            scheduleId: 'once',
            requestId: randomUUID(),
            schedule: { action: { startWorkflow: { workflowType: { name: 'w' }, taskQueue: { name: 'q' } } } },
        };
        const first = await connection.workflowService.createSchedule(asked);
        const again = await connection.workflowService.createSchedule(asked);
        assert.deepEqual(again.conflictToken, first.conflictToken);
        const patch = { namespace: 'default', scheduleId: 'once', requestId: randomUUID(),
            patch: { triggerImmediately: { overlapPolicy: 6 } } };
        await connection.workflowService.patchSchedule(patch);
        await connection.workflowService.patchSchedule(patch);
        const { info } = await schedules.getHandle('once').describe();
        assert.equal(info.numActionsTaken, 1);
    });
    test('a worker gets the workflow and its payloads as they were sent', async () => {
        await make('work', { action: action({ taskQueue: 'work', args: [{ n: 1 }] }), state: { triggerImmediately: true } });
        const { runs } = await native('POST', '/queues/claim', { queues: ['work'], max: 1, wait: '10s', worker: 'w' });
        assert.equal(runs.length, 1);
        const [payload] = runs[0].input.payloads;
        assert.equal(Buffer.from(payload.metadata.encoding, 'base64').toString(), 'json/plain');
        assert.deepEqual(JSON.parse(Buffer.from(payload.data, 'base64')), { n: 1 });
        await native('POST', `/runs/${runs[0].id}/complete`, { fence: runs[0].fence });
        const { info } = await schedules.getHandle('work').describe();
        assert.equal(info.runningActions.length, 0);
        assert.equal(info.recentActions.length, 1);
    });
});

describe('changes', () => {
    test('pause and unpause store their notes', async () => {
        const handle = await make('paused');
        await handle.pause('why');
        let { state } = await handle.describe();
        assert.equal(state.paused, true);
        assert.equal(state.note, 'why');
        await handle.unpause('go on');
        ({ state } = await handle.describe());
        assert.equal(state.paused, false);
        assert.equal(state.note, 'go on');
        await handle.pause('');
        assert.equal((await handle.describe()).state.paused, false); // an empty note does not pause
    });
    test('a trigger starts a run unless the overlap policy skips it', async () => {
        const handle = await make('triggered');
        await handle.trigger();
        await handle.trigger(ScheduleOverlapPolicy.SKIP);
        const { info } = await handle.describe();
        assert.equal(info.numActionsTaken, 1);
        assert.equal(info.numActionsSkippedOverlap, 1);
        assert.equal(info.runningActions.length, 1);
        assert.match(info.recentActions[0].action.workflow.workflowId, /^triggered-workflow-\d{4}-.*Z$/);
    });
    test('a backfill runs every time of its range, both ends included', async () => {
        const handle = await make('filled', { spec: { intervals: [{ every: '1h' }] } });
        await handle.backfill([{
            start: new Date('2026-01-01T00:00:00Z'),
            end: new Date('2026-01-01T03:00:00Z'),
            overlap: ScheduleOverlapPolicy.ALLOW_ALL,
        }]);
        const { info } = await handle.describe();
        assert.deepEqual(
            info.recentActions.map((a) => a.scheduledAt.toISOString()),
            ['00', '01', '02', '03'].map((h) => `2026-01-01T${h}:00:00.000Z`),
        );
    });
    test('an update replaces everything but the memo', async () => {
        const handle = await make('updated', {
            spec: { intervals: [{ every: '1h' }] },
            action: action({ args: ['kept'], retry: { maximumAttempts: 2 } }),
            memo: { m: 1 },
            searchAttributes: { Team: ['red'] },
        });
        await handle.update((was) => ({
            ...was,
            spec: { intervals: [{ every: '2h' }] },
            policies: { ...was.policies, overlap: ScheduleOverlapPolicy.ALLOW_ALL },
            state: { ...was.state, paused: true, note: 'new' },
        }));
        const got = await handle.describe();
        assert.deepEqual(got.spec.intervals.map((i) => i.every), [7200000]);
        assert.deepEqual(got.action.args, ['kept']);
        assert.equal(got.policies.overlap, 'ALLOW_ALL');
        assert.equal(got.state.paused, true);
        assert.equal(got.state.note, 'new');
        assert.deepEqual(got.memo, { m: 1 });
        assert.deepEqual(got.searchAttributes, { Team: ['red'] });
        assert.ok(got.info.lastUpdatedAt);
        await handle.update((was) => ({ ...was, state: { ...was.state, paused: false }, searchAttributes: {} }));
        const then = await handle.describe();
        assert.equal(then.state.paused, false);
        assert.deepEqual(then.spec, got.spec);
        assert.deepEqual(then.searchAttributes, {});
    });
    test('an update with a conflict token is refused after another update', async () => {
        await make('token');
        const service = connection.workflowService;
        const at = { namespace: 'default', scheduleId: 'token' };
        const { schedule, conflictToken } = await service.describeSchedule(at);
        await service.updateSchedule({ ...at, schedule, conflictToken });
        await assert.rejects(service.updateSchedule({ ...at, schedule, conflictToken }), {
            code: FAILED_PRECONDITION,
            details: 'mismatched conflict token',
        });
    });
    test('a deleted schedule is gone, and its id is free', async () => {
        const handle = await make('gone');
        await handle.delete();
        await assert.rejects(handle.describe(), ScheduleNotFoundError);
        await make('gone');
    });
});

describe('lists', () => {
    test('pages, entries and queries', async () => {
        for (let i = 0; i < 7; i++)
            await make(`list-${i}`, { state: { paused: i % 2 === 1 }, searchAttributes: { Number: [i] }, memo: { i } });
        const ids = async (options) => {
            const list = [];
            for await (const one of schedules.list(options)) list.push(one.scheduleId);
            return list;
        };
        const mine = "ScheduleId STARTS_WITH 'list-'";
        assert.deepEqual(await ids({ pageSize: 3, query: mine }), [0, 1, 2, 3, 4, 5, 6].map((i) => `list-${i}`));
        assert.deepEqual(await ids({ query: `${mine} AND TemporalSchedulePaused = true` }), ['list-1', 'list-3', 'list-5']);
        assert.deepEqual(await ids({ query: `${mine} AND (Number < 1 OR Number >= 6)` }), ['list-0', 'list-6']);
        assert.deepEqual(await ids({ query: 'Number IN (2, 3) AND NOT TemporalSchedulePaused = true' }), ['list-2']);
        assert.deepEqual(await ids({ query: `${mine} AND Number BETWEEN 2 AND 4` }), ['list-2', 'list-3', 'list-4']);
        const count = await connection.workflowService.countSchedules({ namespace: 'default', query: mine });
        assert.equal(Number(count.count), 7);
        for await (const one of schedules.list({ query: "ScheduleId = 'list-3'" })) {
            assert.deepEqual(one.memo, { i: 3 });
            assert.equal(one.state.paused, true);
            assert.equal(one.action.workflowType, 'report');
            assert.equal(one.spec.calendars.length, 1);
            assert.equal(one.info.nextActionTimes.length, 5);
        }
        for (const query of ['Number <', "WorkflowType = 'x'"])
            await assert.rejects(ids({ query }), (e) => e.cause.code === INVALID);
    });
    test('matching times are those after the start, up to the end', async () => {
        await make('times', { spec: { intervals: [{ every: '1h' }] } });
        const at = (text) => ({ seconds: Date.parse(text) / 1000 });
        const { startTime } = await connection.workflowService.listScheduleMatchingTimes({
            namespace: 'default',
            scheduleId: 'times',
            startTime: at('2026-01-01T00:00:00Z'),
            endTime: at('2026-01-01T02:00:00Z'),
        });
        assert.deepEqual(startTime.map((t) => Number(t.seconds)), [
            at('2026-01-01T01:00:00Z').seconds,
            at('2026-01-01T02:00:00Z').seconds,
        ]);
    });
    test('clients see only their own schedules, and the native API sees all', async () => {
        await make('shared');
        await native('POST', '/schedules', { id: 'native-one', action: { type: 'queue', queue: 'q' } });
        await assert.rejects(schedules.getHandle('native-one').describe(), ScheduleNotFoundError);
        await assert.rejects(schedules.getHandle('native-one').pause(), ScheduleNotFoundError);
        for await (const one of schedules.list()) assert.notEqual(one.scheduleId, 'native-one');
        const got = await native('GET', '/schedules/shared');
        assert.equal(got.state.dialect, 'temporal');
        assert.equal(got.action.name, 'report');
    });
});

describe('refusals', () => {
    test('the client maps errors to its own classes', async () => {
        await make('taken');
        await assert.rejects(make('taken'), ScheduleAlreadyRunning);
        const nobody = schedules.getHandle('nobody');
        for (const method of ['describe', 'pause', 'unpause', 'trigger', 'delete'])
            await assert.rejects(nobody[method](), ScheduleNotFoundError, method);
        await assert.rejects(nobody.update((was) => was), ScheduleNotFoundError);
        const elsewhere = new Client({ connection, namespace: 'nowhere' }).schedule;
        await assert.rejects(elsewhere.getHandle('x').describe(), NamespaceNotFoundError);
    });
    test('an invalid spec is a TypeError that names the field', async () => {
        await assert.rejects(make('bad', { spec: { cronExpressions: ['61 * * * *'] } }), (e) => {
            assert.ok(e instanceof TypeError);
            assert.match(e.message, /cronString\[0\].*61/);
            return true;
        });
        await assert.rejects(make('bad', { spec: { timezone: 'No/Where', intervals: [{ every: '1h' }] } }), TypeError);
    });
    test('a request that is too large is refused without a retry', async () => {
        await assert.rejects(make('large', { action: action({ args: ['x'.repeat(3 << 20)] }) }), (e) => {
            assert.ok(e instanceof ServiceError);
            assert.equal(e.cause.code, INVALID);
            return true;
        });
    });
});

describe('access', () => {
    test('an API key is a token', async () => {
        const own = await startServer();
        const tokens = {};
        for (const role of ['admin', 'viewer']) {
            const answer = await fetch(`${own.url}/api/v1/tokens`, {
                method: 'POST',
                headers: {
                    'content-type': 'application/json',
                    ...(tokens.admin && { authorization: `Bearer ${tokens.admin}` }),
                },
                body: JSON.stringify({ name: role, role, namespace: '*' }),
            });
            tokens[role] = (await answer.json()).token;
        }
        const as = async (apiKey) => {
            const link = await Connection.connect({ address: own.address, tls: false, apiKey });
            return { link, schedule: new Client({ connection: link }).schedule };
        };
        const asked = { scheduleId: 's', spec: never, action: action() };
        const codes = { [tokens.admin]: 0, [tokens.viewer]: DENIED, bf_wrong: UNAUTHENTICATED };
        for (const [key, code] of Object.entries(codes)) {
            const { link, schedule } = await as(key);
            const got = await schedule.create(asked).then(() => 0, (e) => e.cause.code);
            assert.equal(got, code);
            await link.close();
        }
        await own.stop();
    });
    test('TLS', async (t) => {
        const directory = mkdtempSync(join(tmpdir(), 'belfry-cert-'));
        const file = (name) => join(directory, name);
        try {
            execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes',
                '-days', '1', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1',
                '-keyout', file('key'), '-out', file('cert')], { stdio: 'ignore' });
        } catch {
            t.skip('openssl is missing');
            return;
        }
        const own = await startServer('--tls-cert', file('cert'), '--tls-key', file('key'));
        const link = await Connection.connect({
            address: own.address.replace('127.0.0.1', 'localhost'),
            tls: { serverRootCACertificate: readFileSync(file('cert')) },
        });
        const { schedule } = new Client({ connection: link });
        const handle = await schedule.create({ scheduleId: 's', spec: never, action: action() });
        assert.equal((await handle.describe()).scheduleId, 's');
        await link.close();
        await own.stop();
        rmSync(directory, { recursive: true });
    });
});
