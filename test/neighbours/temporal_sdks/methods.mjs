// SPDX-License-Identifier: Apache-2.0
// Calls every schedule method of Temporal's TypeScript SDK; see methods.py.
// usage: methods.mjs ADDRESS
import { Client, Connection, ScheduleClient, ScheduleNotFoundError } from '@temporalio/client';

const id = 'typescript';
const connection = await Connection.connect({ address: process.argv[2] });
const { schedule: client } = new Client({ connection });
const handle = client.getHandle(id);
const action = { type: 'startWorkflow', workflowType: 'report', taskQueue: 'q', args: ['argument'] };
const spec = (cron) => ({ cronExpressions: [cron] });
const hour = async () => (await handle.describe()).spec.calendars[0].hour[0].start;

// In the order of the calls; each returns whether the effect is there.
const cases = {
    create: async () => {
        const made = await client.create({ scheduleId: id, spec: spec('0 12 1 1 *'), action });
        return made.scheduleId === id;
    },
    getHandle: () => client.getHandle(id).scheduleId === id,
    list: async () => {
        const ids = [];
        for await (const one of client.list({ query: `ScheduleId = '${id}'` })) ids.push(one.scheduleId);
        return String(ids) === id;
    },
    describe: async () => (await hour()) === 12,
    pause: async () => {
        await handle.pause('why');
        const { state } = await handle.describe();
        return state.paused && state.note === 'why';
    },
    unpause: async () => { await handle.unpause(); return !(await handle.describe()).state.paused; },
    trigger: async () => {
        await handle.trigger('ALLOW_ALL');
        return (await handle.describe()).info.numActionsTaken === 1;
    },
    backfill: async () => {
        await handle.backfill({
            start: new Date('2021-01-01'), end: new Date('2022-06-01'), overlap: 'ALLOW_ALL' });
        return (await handle.describe()).info.numActionsTaken === 3;
    },
    update: async () => {
        await handle.update((was) => ({ ...was, spec: spec('0 6 1 1 *') }));
        return (await hour()) === 6;
    },
    delete: async () => {
        await handle.delete();
        return handle.describe().then(() => false, (error) => error instanceof ScheduleNotFoundError);
    },
};
// What the declarations of the SDK call protected, and a getter of the raw service.
const inside = ['constructor', 'workflowService', 'rethrowGrpcError'];

async function resultOf(call) {
    try {
        return call && (await call()) ? 'ok' : 'failed: not as expected';
    } catch (error) { // any error of the SDK is a result
        return `failed: ${error}`.replaceAll('\n', ' ');
    }
}

const found = [
    ...Object.getOwnPropertyNames(ScheduleClient.prototype)
        .filter((name) => !name.startsWith('_') && !inside.includes(name)),
    ...Object.keys(handle).filter((name) => typeof handle[name] === 'function'),
];
const order = Object.keys(cases).filter((name) => found.includes(name));
for (const name of [...order, ...found.filter((one) => !(one in cases))])
    console.log(name, await resultOf(cases[name]));
await connection.close();
