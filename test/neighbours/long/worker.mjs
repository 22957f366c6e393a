// SPDX-License-Identifier: Apache-2.0
// A worker of Temporal's TypeScript SDK that also starts workflows itself.  It stops the starts at
// the first line of its input, and ends with it.  usage: worker.mjs ADDRESS QUEUE SECONDS
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Runtime, Worker, makeTelemetryFilterString } from '@temporalio/worker';

const [address, queue, seconds] = process.argv.slice(2);
Runtime.install({
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR' }), forward: {} } },
});
const worker = await Worker.create({
    connection: await NativeConnection.connect({ address }),
    taskQueue: queue,
    workflowsPath: fileURLToPath(new URL('./workflows.mjs', import.meta.url)),
    activities: { async touch() {} },
});
const client = new Client({ connection: await Connection.connect({ address }) });

let stopped = false, wake = () => {};
async function startDirectly() {
    for (let n = 1; !stopped; n++) {
        const workflowId = `direct-${queue}-${n}`;
        try {
            const run = await client.workflow.start('tick', { workflowId, taskQueue: queue });
            console.log('started', workflowId, run.firstExecutionRunId);
        } catch (error) { // any error of the SDK means: no answer
            console.log('failed', workflowId, String(error.cause ?? error).replaceAll('\n', ' '));
        }
        const timer = new Promise((done) => { wake = done; setTimeout(done, seconds * 1000); });
        if (!stopped) await timer;
    }
    console.log('quiet');
}

const running = worker.run();
console.log('ready');
const starts = startDirectly();
for await (const line of createInterface({ input: process.stdin })) {
    stopped = true;
    wake(line);
}
stopped = true;
wake();
await starts;
worker.shutdown();
await running;
process.exit(0);
