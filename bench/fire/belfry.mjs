/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Belfry: schedules with a queue action, created and worked over HTTP.
 */
import http from "node:http";

import { post } from "./belfry_client.mjs";
import { startBelfry, startPostgres } from "./servers.mjs";

const QUEUE = "bench";
const CREATE_AT_ONCE = 1000;

function toModel({ key, first, every }) {
    return {
        id: key,
        spec: {
            intervals: [{ every: `${every}ms`, phase: `${first % every}ms` }],
            start: new Date(first).toISOString(),
        },
        action: { type: "queue", queue: QUEUE },
    };
}

export class Belfry {
    workerFile = "belfry_worker.mjs";
    settings = { processes: 1, loops: 2, max: 1000 };

    /* `database` is sqlite or postgres. */
    constructor(name, database, binary) {
        this.name = name;
        this.database = database;
        this.binary = binary;
    }

    async start(dir) {
        let db = `sqlite:${dir}/belfry.db`;
        if (this.database === "postgres") {
            this.postgres = await startPostgres(`${dir}-postgres`);
            db = this.postgres.url;
        }
        this.server = await startBelfry(dir, this.binary, db);
        this.agent = new http.Agent({ keepAlive: true });
    }

    workerOptions() {
        const { loops, max } = this.settings;
        return { port: this.server.port, queue: QUEUE, loops, max };
    }

    async create(schedules) {
        for (let i = 0; i < schedules.length; i += CREATE_AT_ONCE) {
            const items = schedules.slice(i, i + CREATE_AT_ONCE).map(toModel);
            const path = "/api/v1/bulk/schedules";
            const { results } = await post(this.agent, this.server.port, path, { items });
            const failed = results.find(({ status }) => status !== "ok");
            if (failed) {
                throw new Error(`creating failed: ${JSON.stringify(failed)}`);
            }
        }
    }

    async stop() {
        this.agent?.destroy();
        await this.server?.stop();
        await this.postgres?.stop();
    }
}
