/* SPDX-License-Identifier: Apache-2.0 */
/* A worker process of BullMQ. */
import { Worker } from "bullmq";

import { work } from "./journal.mjs";

/* The id of a scheduler's job is repeat:SCHEDULER:MILLISECONDS. */
function slotOf(job) {
    return Number(job.id.slice(job.id.lastIndexOf(":") + 1));
}

work(async ({ queue, path, workers, concurrency }, journal) => {
    const handler = async (job) => {
        journal.begin(job.repeatJobKey, slotOf(job));
    };
    const startOne = async () => {
        const worker = new Worker(queue, handler, {
            connection: { path, maxRetriesPerRequest: null },
            concurrency,
            removeOnComplete: { count: 0 },
        });
        worker.on("completed", () => journal.complete(1));
        worker.on("error", (error) => console.error(error));
        await worker.waitUntilReady();
        return worker;
    };
    const all = await Promise.all(Array.from({ length: workers }, startOne));
    return () => Promise.all(all.map((worker) => worker.close(true)));
});
