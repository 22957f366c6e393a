/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BullMQ: one job scheduler per schedule, on Redis with an append-only file.
 */
import { Queue } from "bullmq";

import { startRedis } from "./servers.mjs";

const QUEUE = "bench";
const CREATE_AT_ONCE = 500;

export class BullMq {
    workerFile = "bullmq_worker.mjs";
    settings = { processes: 1, workers: 4, concurrency: 100 };

    constructor(name, fsync) {
        this.name = name;
        this.fsync = fsync;
    }

    async start(dir) {
        this.server = await startRedis(dir, this.fsync);
        this.queue = new Queue(QUEUE, { connection: { path: this.server.path } });
    }

    workerOptions() {
        return { queue: QUEUE, path: this.server.path, ...this.settings };
    }

    async create(schedules) {
        for (let i = 0; i < schedules.length; i += CREATE_AT_ONCE) {
            await Promise.all(
                schedules.slice(i, i + CREATE_AT_ONCE).map(({ key, first, every }) =>
                    this.queue.upsertJobScheduler(
                        key,
                        { every, startDate: first },
                        { name: "fire", opts: { removeOnComplete: true } },
                    ),
                ),
            );
        }
    }

    async stop() {
        await this.queue?.close();
        await this.server?.stop();
    }
}
