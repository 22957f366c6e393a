// SPDX-License-Identifier: Apache-2.0
//
// Scripts 9 to 12 of Conductor's live tests (group L of test/mission/conductor.txt): concurrent
// writes, concurrent resumes, many schedules due at once, many starts at once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServer, until } from './server.mjs';

let server;
before(async () => {
    server = await startServer();
});
after(() => server.stop());

const call = (method, path, body) =>
    fetch(`${server.url}/api${path}`, {
        method,
        headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
    });
const json = async (method, path, body) => (await call(method, path, body)).json();
const times = (n, make) => Promise.all(Array.from({ length: n }, (_, i) => make(i)));
const schedule = (name, more = {}) => ({
    name,
    cronExpression: '0 0 9 * * ?',
    startWorkflowRequest: { name: 'wf', version: 1 },
    ...more,
});

test('9: concurrent writes of one name leave one schedule, with the values of one write', async () => {
    const answers = await times(10, (i) =>
        call('POST', '/scheduler/schedules', schedule('shared', { description: `${i}` })),
    );
    for (const answer of answers) assert.equal(answer.status, 200);
    const all = await json('GET', '/scheduler/schedules');
    const found = all.filter((one) => one.name === 'shared');
    assert.equal(found.length, 1);
    assert.match(found[0].description, /^[0-9]$/);
});

test('ten updates of one schedule at once all succeed, and createTime stays', async () => {
    const first = await json('POST', '/scheduler/schedules', schedule('updated'));
    const answers = await times(10, (i) =>
        call('POST', '/scheduler/schedules', schedule('updated', { description: `${i}` })),
    );
    for (const answer of answers) assert.equal(answer.status, 200);
    const all = await json('GET', '/scheduler/schedules?workflowName=wf');
    const found = all.filter((one) => one.name === 'updated');
    assert.equal(found.length, 1);
    assert.match(found[0].description, /^[0-9]$/);
    assert.equal(found[0].createTime, first.createTime);
    assert.ok(found[0].updatedTime >= first.updatedTime);
});

test('10: of concurrent resumes both succeed, and nothing runs for them', async () => {
    const yearly = schedule('twice', { cronExpression: '0 0 0 1 1 ?', paused: true });
    assert.equal((await call('POST', '/scheduler/schedules', yearly)).status, 200);
    const answers = await times(2, () => call('PUT', '/scheduler/schedules/twice/resume'));
    assert.deepEqual(answers.map((answer) => answer.status), [200, 200]);
    assert.equal((await json('GET', '/scheduler/schedules/twice')).paused, false);
    assert.deepEqual(await json('GET', '/scheduler/schedules/twice/executions'), []);
});

test('11: fifty that are due at once all run once', async () => {
    const [, , at] = await json('GET', '/scheduler/nextFewSchedules?cronExpression=*/2+*+*+*+*+*');
    const only = { cronExpression: '* * * * * *', scheduleStartTime: at, scheduleEndTime: at + 999 };
    await times(50, (i) =>
        call('POST', '/scheduler/schedules', schedule(`herd-${i}`, only)),
    );
    const found = await until(
        () => json('GET', '/scheduler/search/executions?freeText=herd-&size=1000'),
        (result) => result.totalHits >= 50,
    );
    assert.equal(found.totalHits, 50);
    assert.equal(new Set(found.results.map((record) => record.scheduleName)).size, 50);
    for (const record of found.results) assert.equal(record.scheduledTime, at);
});

test('12: a thousand concurrent starts succeed and start a thousand workflows', async () => {
    const ids = new Set();
    for (const n of [25, 100, 1000 - 125]) {
        const answers = await times(n, () => call('POST', '/workflow', { name: 'blast', input: {} }));
        for (const answer of answers) {
            assert.equal(answer.status, 200);
            ids.add(await answer.text());
        }
    }
    assert.equal(ids.size, 1000);
    const queue = await json('GET', '/v1/queues/blast');
    assert.equal(queue.depth, 1000);
});
