// SPDX-License-Identifier: Apache-2.0
// Calls every method of SchedulerClient of Conductor's JavaScript SDK; see methods.py.
// usage: methods.mjs PACKAGE URL
const [name, url] = process.argv.slice(2);
const sdk = await import(name);
const silent = new sdk.DefaultLogger({ level: 'ERROR' });
const client = new sdk.SchedulerClient(
    await sdk.orkesConductorClient({ serverUrl: url, logger: silent }));

const cron = '0 0 2 * * ?', workflow = `${name}-wf`;
const save = (to) => client.saveSchedule({
    name: to, cronExpression: cron, startWorkflowRequest: { name: workflow, version: 1 } });
const shown = () => client.getSchedule(name);
const tagNames = async () => (await client.getSchedulerTags(name)).map((tag) => tag.key);
const tags = [{ key: 'team', value: 'blue' }];
const agent = `${name}-agent`;
const listed = () => client.listForAgent(agent);

async function isGone(method) {
    await save(`${name}-gone`);
    await client[method](`${name}-gone`);
    return !(await client.getAllSchedules(workflow)).some((one) => one.name === `${name}-gone`);
}

async function isPaused(method, ...more) {
    await client[method](name, ...more);
    return (await shown()).paused === method.startsWith('pause');
}

// In the order of the calls; each returns whether the effect is there.
const cases = {
    saveSchedule: async () => { await save(name); return (await shown()).name === name; },
    getSchedule: async () => (await shown()).cronExpression === cron,
    getAllSchedules: async () => (await client.getAllSchedules(workflow)).length === 1,
    getNextFewSchedules: async () =>
        String(await client.getNextFewSchedules(cron, 4000000000000, 4000200000000, 2)) ===
        '4000068000000,4000154400000',
    pauseSchedule: () => isPaused('pauseSchedule'),
    resumeSchedule: () => isPaused('resumeSchedule'),
    pauseAllSchedules: async () => { await client.pauseAllSchedules(); return true; },
    resumeAllSchedules: async () => { await client.resumeAllSchedules(); return true; },
    search: async () => (await client.search(0, 10, '', '', `scheduleName IN (${name})`)).totalHits === 0,
    requeueAllExecutionRecords: async () => { await client.requeueAllExecutionRecords(); return true; },
    setSchedulerTags: async () => {
        await client.setSchedulerTags(tags, name);
        return String(await tagNames()) === 'team';
    },
    getSchedulerTags: async () => String(await tagNames()) === 'team',
    deleteSchedulerTags: async () => {
        await client.deleteSchedulerTags(tags, name);
        return (await tagNames()).length === 0;
    },
    save: async () => {
        await client.save({ name: 'daily', cron }, agent);
        return (await listed()).length === 1;
    },
    get: async () => (await client.get(`${agent}-daily`)).cron === cron,
    listForAgent: async () => (await listed())[0].shortName === 'daily',
    pause: () => isPaused('pause', 'why'),
    resume: () => isPaused('resume'),
    previewNext: async () => (await client.previewNext(cron, { n: 3 })).length === 3,
    runNow: async () => Boolean(await client.runNow((await listed())[0])),
    reconcile: async () => { await client.reconcile(agent, []); return (await listed()).length === 0; },
    delete: () => isGone('delete'),
    deleteSchedule: () => isGone('deleteSchedule'),
};
// What the declarations of the SDK call private.
const inside = ['constructor', 'client', 'authHeaders', 'pauseResumeWithVerbFallback', 'raw'];

async function resultOf(action) {
    try {
        return action && await action() ? 'ok' : 'failed: not as expected';
    } catch (error) { // any error of the SDK is a result
        return `failed: ${error}`.replaceAll('\n', ' ');
    }
}

const found = Object.getOwnPropertyNames(sdk.SchedulerClient.prototype)
    .filter((method) => !inside.includes(method));
const order = Object.keys(cases).filter((method) => found.includes(method));
for (const method of [...order, ...found.filter((one) => !(one in cases))])
    console.log(method, await resultOf(cases[method]));
process.exit(0); // the client's timers would wait
