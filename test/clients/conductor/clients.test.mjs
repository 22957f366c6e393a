// SPDX-License-Identifier: Apache-2.0
//
// Runs Conductor's own, unmodified clients against the server: every method of their
// SchedulerClient.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startServer, until } from './server.mjs';
import * as two from 'conductor-2';
import * as four from 'conductor-4';

const MINUTE = 60_000;
const schedule = (name, more = {}) => ({
    name,
    cronExpression: '0 0 9 * * ?',
    zoneId: 'UTC',
    startWorkflowRequest: { name: 'report', version: 1, input: { owner: 'me' } },
    ...more,
});
const everySecond = (name, more = {}) => schedule(name, { cronExpression: '* * * * * *', ...more });
const quiet = new four.DefaultLogger({ level: 'ERROR' });

let server;
before(async () => {
    server = await startServer();
});
after(() => server.stop());

async function schedulerOf(sdk, config = {}) {
    const client = await sdk.orkesConductorClient({ serverUrl: `${server.url}/api`, ...config, logger: quiet });
    return new sdk.SchedulerClient(client);
}

for (const [version, sdk] of [['2.4.1', two], ['4.0.0', four]]) {
    describe(`SchedulerClient of ${version}`, () => {
        const own = (name) => `${name}-${version}`;
        let scheduler;
        before(async () => {
            scheduler = await schedulerOf(sdk);
        });

        test('saveSchedule, getSchedule: every field comes back', async () => {
            const sent = schedule(own('kept'), {
                description: 'each day',
                runCatchupScheduleInstances: true,
                scheduleStartTime: Date.UTC(2030, 0, 1),
                scheduleEndTime: Date.UTC(2031, 0, 1),
            });
            await scheduler.saveSchedule(sent);
            const got = await scheduler.getSchedule(sent.name);
            assert.equal(got.name, sent.name);
            assert.equal(got.cronExpression, sent.cronExpression);
            assert.equal(got.zoneId, 'UTC');
            assert.equal(got.runCatchupScheduleInstances, true);
            assert.equal(got.scheduleStartTime, sent.scheduleStartTime);
            assert.equal(got.scheduleEndTime, sent.scheduleEndTime);
            assert.equal(got.paused, false);
            assert.deepEqual(got.startWorkflowRequest.input, { owner: 'me' });
            assert.equal(got.nextRunTime, Date.UTC(2030, 0, 1, 9));
            assert.ok(Math.abs(got.createTime - Date.now()) < MINUTE);
        });

        test('saveSchedule: the same name is an update', async () => {
            await scheduler.saveSchedule(schedule(own('twice')));
            const first = await scheduler.getSchedule(own('twice'));
            await scheduler.saveSchedule(schedule(own('twice'), { description: 'new' }));
            const second = await scheduler.getSchedule(own('twice'));
            assert.equal(second.description, 'new');
            assert.equal(second.createTime, first.createTime);
        });

        test('saveSchedule: the error for an invalid expression names it', async () => {
            const wrong = schedule(own('wrong'), { cronExpression: 'not a cron' });
            await assert.rejects(scheduler.saveSchedule(wrong), /Invalid cron expression 'not a cron'/);
            await assert.rejects(scheduler.getSchedule(own('wrong')), /not found/);
        });

        test('a name with a blank, a slash and a percent sign', async () => {
            const name = own('a b/c%');
            await scheduler.saveSchedule(schedule(name));
            assert.equal((await scheduler.getSchedule(name)).name, name);
            await scheduler.deleteSchedule(name);
        });

        test('getAllSchedules: all of them, or those of a workflow', async () => {
            const workflow = own('only');
            await scheduler.saveSchedule(
                schedule(own('listed'), { startWorkflowRequest: { name: workflow } }),
            );
            const names = (await scheduler.getAllSchedules()).map((one) => one.name);
            assert.ok(names.includes(own('listed')));
            const found = await scheduler.getAllSchedules(workflow);
            assert.deepEqual(found.map((one) => one.name), [own('listed')]);
            assert.deepEqual(await scheduler.getAllSchedules('no such workflow'), []);
        });

        test('pauseSchedule, resumeSchedule', async () => {
            await scheduler.saveSchedule(schedule(own('paused')));
            await scheduler.pauseSchedule(own('paused'));
            assert.equal((await scheduler.getSchedule(own('paused'))).paused, true);
            await scheduler.resumeSchedule(own('paused'));
            await scheduler.resumeSchedule(own('paused'));
            assert.equal((await scheduler.getSchedule(own('paused'))).paused, false);
            await assert.rejects(scheduler.pauseSchedule(own('ghost')), /'ghost-.*' not found/);
            await assert.rejects(scheduler.resumeSchedule(own('ghost')), /'ghost-.*' not found/);
        });

        test('deleteSchedule', async () => {
            await scheduler.saveSchedule(schedule(own('gone')));
            await scheduler.deleteSchedule(own('gone'));
            await assert.rejects(scheduler.getSchedule(own('gone')), /not found/);
            await assert.rejects(scheduler.deleteSchedule(own('gone')), /not found/);
        });

        test('getNextFewSchedules', async () => {
            const start = Date.UTC(2030, 5, 1);
            const times = await scheduler.getNextFewSchedules(
                '0 0 9 * * ?', start, start + 48 * 60 * MINUTE, 5,
            );
            assert.deepEqual(times, [Date.UTC(2030, 5, 1, 9), Date.UTC(2030, 5, 2, 9)]);
            assert.equal((await scheduler.getNextFewSchedules('0 * * * * ?', undefined, undefined, 10)).length, 5);
            assert.equal((await scheduler.getNextFewSchedules('0 * * * * ?')).length, 3);
            await assert.rejects(scheduler.getNextFewSchedules('nonsense'), /cron/);
        });

        test('search: executions of a schedule that runs', async () => {
            const name = own('running');
            await scheduler.saveSchedule(everySecond(name));
            const query = `scheduleName IN (${name}) AND status IN (EXECUTED)`;
            const found = await until(
                () => scheduler.search(0, 10, 'startTime:DESC', '*', query),
                (result) => result.totalHits >= 2,
            );
            await scheduler.deleteSchedule(name);
            for (const record of found.results) {
                assert.equal(record.scheduleName, name);
                assert.equal(record.state, 'EXECUTED');
                assert.equal(record.workflowName, 'report');
                assert.equal(record.scheduledTime % 1000, 0);
                assert.ok(record.executionTime >= record.scheduledTime);
                assert.ok(record.workflowId.length > 0);
            }
            const ids = new Set(found.results.map((record) => record.executionId));
            assert.equal(ids.size, found.results.length);
            const slots = found.results.map((record) => record.scheduledTime);
            assert.equal(new Set(slots).size, slots.length);
            assert.deepEqual(await scheduler.search(0, 10, '', '*', query), { totalHits: 0, results: [] });
        });

        test('pauseAllSchedules, resumeAllSchedules: this server starts nothing meanwhile', async () => {
            const name = own('halted');
            const query = `scheduleName IN (${name})`;
            await scheduler.saveSchedule(everySecond(name, { runCatchupScheduleInstances: true }));
            await until(() => scheduler.search(0, 1, '', '*', query), (r) => r.totalHits > 0);
            const newest = async () =>
                (await scheduler.search(0, 1, '', '*', query)).results[0].scheduledTime;
            await scheduler.pauseAllSchedules();
            const pausedAt = Date.now();
            await until(
                () => scheduler.getNextFewSchedules('* * * * * *'),
                ([next]) => next > pausedAt + 3000, // some slots have passed
            );
            assert.ok((await newest()) <= pausedAt);
            await scheduler.resumeAllSchedules();
            await until(newest, (slot) => slot > pausedAt + 1000);
            await scheduler.deleteSchedule(name);
        });

        test('requeueAllExecutionRecords', async () => {
            await scheduler.requeueAllExecutionRecords();
        });
    });
}

describe('methods that only the newest client has', () => {
    let scheduler;
    before(async () => {
        scheduler = await schedulerOf(four);
    });

    test('pauseSchedule with a reason', async () => {
        await scheduler.saveSchedule(schedule('reasoned'));
        await scheduler.pauseSchedule('reasoned', 'at night');
        assert.equal((await scheduler.getSchedule('reasoned')).pausedReason, 'at night');
        await scheduler.resumeSchedule('reasoned');
        assert.equal((await scheduler.getSchedule('reasoned')).pausedReason, undefined);
    });

    test('setSchedulerTags, getSchedulerTags, deleteSchedulerTags', async () => {
        const tags = [{ key: 'team', value: 'blue' }, { key: 'tier', value: '1' }];
        await scheduler.saveSchedule(schedule('tagged'));
        await scheduler.setSchedulerTags(tags, 'tagged');
        assert.deepEqual(await scheduler.getSchedulerTags('tagged'), tags);
        await scheduler.deleteSchedulerTags([tags[0]], 'tagged');
        assert.deepEqual(await scheduler.getSchedulerTags('tagged'), [tags[1]]);
    });

    test('agents: save, get, listForAgent, pause, resume, previewNext, runNow, delete', async () => {
        const wanted = new four.Schedule({ name: 'daily', cron: '0 0 9 * * ?', input: { a: 1 } });
        await scheduler.save(wanted, 'helper');
        const info = await scheduler.get('helper-daily', 'helper');
        assert.equal(info.shortName, 'daily');
        assert.equal(info.cron, '0 0 9 * * ?');
        assert.ok(info.nextRun > Date.now());
        assert.equal((await scheduler.listForAgent('helper')).length, 1);
        await scheduler.pause('helper-daily', 'why');
        assert.equal((await scheduler.get('helper-daily', 'helper')).paused, true);
        await scheduler.resume('helper-daily');
        assert.equal((await scheduler.previewNext('0 0 9 * * ?', { n: 2 })).length, 2);
        assert.match(await scheduler.runNow(info), /^r_/);
        await scheduler.delete('helper-daily');
        await assert.rejects(scheduler.get('helper-daily', 'helper'), four.ScheduleNotFound);
    });

    test('agents: reconcile creates and deletes schedules', async () => {
        const one = (name) => new four.Schedule({ name, cron: '0 0 9 * * ?' });
        await scheduler.reconcile('fleet', [one('a'), one('b')]);
        assert.equal((await scheduler.listForAgent('fleet')).length, 2);
        await scheduler.reconcile('fleet', [one('b'), one('c')]);
        const left = (await scheduler.listForAgent('fleet')).map((info) => info.shortName);
        assert.deepEqual(left.sort(), ['b', 'c']);
        await scheduler.reconcile('fleet', []);
        assert.deepEqual(await scheduler.listForAgent('fleet'), []);
    });

    test('agents: an invalid expression has an error class of its own', async () => {
        const wrong = new four.Schedule({ name: 'x', cron: 'a b c' });
        await assert.rejects(scheduler.save(wrong, 'helper'), four.InvalidCronExpression);
    });
});

describe('tokens', () => {
    test('a server without tokens accepts a client with a key', async () => {
        const scheduler = await schedulerOf(four, { keyId: 'x', keySecret: 'y' });
        await scheduler.saveSchedule(schedule('keyless'));
        assert.equal((await scheduler.getSchedule('keyless')).name, 'keyless');
    });

    test('a server with tokens exchanges key and secret for one', async () => {
        const other = await startServer();
        try {
            const made = await fetch(`${other.url}/api/v1/tokens`, {
                method: 'POST',
                body: JSON.stringify({ name: 'client', role: 'admin', namespace: '*' }),
            });
            const { id, token } = await made.json();
            for (const [sdk, secret] of [[two, token], [four, token], [four, token.split('_')[3]]]) {
                const client = await sdk.orkesConductorClient({
                    serverUrl: other.url, keyId: id, keySecret: secret, logger: quiet,
                });
                const scheduler = new sdk.SchedulerClient(client);
                await scheduler.saveSchedule(schedule('guarded'));
                assert.equal((await scheduler.getSchedule('guarded')).createdBy, 'client');
                client.stopBackgroundRefresh?.();
            }
            const bare = await fetch(`${other.url}/api/scheduler/schedules`);
            assert.equal(bare.status, 401);
            assert.equal((await bare.json()).error, 'INVALID_TOKEN');
        } finally {
            await other.stop();
        }
    });
});
