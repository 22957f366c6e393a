/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graphile-worker on PostgreSQL, with its two ways of delaying work: crontab lines, with a
 * resolution of minutes, and jobs with a time (run_at), one per slot.
 */
import { makeWorkerUtils } from "graphile-worker";

import { startPostgres } from "./servers.mjs";

const CREATE_AT_ONCE = 1000;

export class Graphile {
    workerFile = "graphile_worker.mjs";
    createsSlots = true;
    settings = { processes: 1, concurrentJobs: 24, localQueue: 500, batchDelay: 0, poll: 5 };

    constructor(name) {
        this.name = name;
    }

    async start(dir) {
        this.server = await startPostgres(dir);
        this.utils = await makeWorkerUtils({ connectionString: this.server.url });
        await this.utils.migrate();
    }

    workerOptions() {
        return { url: this.server.url, ...this.settings };
    }

    async create(schedules) {
        const jobs = [];
        for (const { key, first, every, slots } of schedules) {
            for (let i = 0; i < slots; i++) {
                const runAt = new Date(first + i * every);
                jobs.push({ identifier: "fire", payload: { key }, runAt });
            }
        }
        for (let i = 0; i < jobs.length; i += CREATE_AT_ONCE) {
            await this.utils.addJobs(jobs.slice(i, i + CREATE_AT_ONCE));
        }
    }

    async stop() {
        await this.utils?.release();
        await this.server?.stop();
    }
}

/* The first worker process owns the crontab, which exists when that process starts. */
export class GraphileCron extends Graphile {
    onlyMinutes = true;

    workerOptions(index, schedules) {
        const crontab = index === 0 ? schedules.map(({ key }) => key) : [];
        return { ...super.workerOptions(), crontab };
    }
}
