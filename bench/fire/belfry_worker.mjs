/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker process of Belfry: loops that claim a batch, hand each run to the handler and
 * complete the batch.
 */
import http from "node:http";

import { post } from "./belfry_client.mjs";
import { work } from "./journal.mjs";

const WAIT = "10s";

work(async ({ port, queue, loops, max }, journal) => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity });
    let isStopping = false;
    const handler = async (run) => {
        journal.begin(run.schedule, run.due);
    };
    const perform = async (run) => {
        await handler(run);
        return { id: run.id, fence: run.fence };
    };
    /* What the server was too busy for is said again. */
    const complete = async (items) => {
        let left = items;
        while (left.length > 0) {
            const body = { items: left };
            const { results } = await post(agent, port, "/api/v1/runs/complete", body);
            const wrong = results.find(({ status }) => status !== "ok" && status !== "busy");
            if (wrong) {
                throw new Error(`a completion was refused: ${JSON.stringify(wrong)}`);
            }
            const wasBusy = left.filter((_, i) => results[i].status === "busy");
            journal.complete(left.length - wasBusy.length);
            left = wasBusy;
        }
    };
    const claim = { queues: [queue], max, wait: WAIT, worker: `bench-${process.pid}` };
    const loop = async () => {
        while (!isStopping) {
            const { runs } = await post(agent, port, "/api/v1/queues/claim", claim);
            if (runs.length > 0) {
                await complete(await Promise.all(runs.map(perform)));
            }
        }
    };
    for (let i = 0; i < loops; i++) {
        loop().catch((error) => {
            if (!isStopping) {
                console.error(error);
                process.exit(1);
            }
        });
    }
    return async () => {
        isStopping = true;
        agent.destroy();
    };
});
