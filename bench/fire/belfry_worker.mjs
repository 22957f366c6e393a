/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker process of Belfry: loops that claim a batch, hand each run to the handler and
 * complete the batch.
 */
import http from "node:http";

import { post } from "./belfry_client.mjs";
import { work } from "./journal.mjs";

const WAIT = "10s";
const FIELDS = ["schedule", "due"]; /* what the handler reads; id and fence come anyway */

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
    /* Repeats what the server was too busy for. */
    const complete = async (items) => {
        let left = items;
        while (left.length > 0) {
            const body = { items: left, results: "notOk" };
            const { results, ok } = await post(agent, port, "/api/v1/runs/complete", body);
            const wrong = results.find(({ status }) => status !== "busy");
            if (wrong || ok + results.length !== left.length) {
                throw new Error(`a completion was refused: ${JSON.stringify(wrong ?? ok)}`);
            }
            journal.complete(ok);
            left = results.map(({ index }) => left[index]);
        }
    };
    const worker = `bench-${process.pid}`;
    const claim = { queues: [queue], max, wait: WAIT, worker, fields: FIELDS };
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
