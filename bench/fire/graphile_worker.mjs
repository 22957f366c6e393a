/* SPDX-License-Identifier: Apache-2.0 */
/* A worker process of graphile-worker. */
import { Logger, parseCronItems, run } from "graphile-worker";
import pg from "pg";

import { work } from "./journal.mjs";

/*
 * Completions are batched and no event reports when the batch is stored, so the statement
 * that stores it is watched.
 */
function watchingClient(journal) {
    return class extends pg.Client {
        query(config, ...rest) {
            const answer = super.query(config, ...rest);
            if (config?.name?.startsWith("complete_job")) {
                const [ids] = config.values;
                answer.then(() => journal.complete(Array.isArray(ids) ? ids.length : 1));
            }
            return answer;
        }
    };
}

work(async (options, journal) => {
    const { url, concurrentJobs, localQueue, batchDelay, poll, crontab = [] } = options;
    const pgPool = new pg.Pool({
        connectionString: url,
        max: concurrentJobs + 1,
        Client: watchingClient(journal),
    });
    pgPool.on("error", (error) => console.error(error));
    pgPool.on("connect", (client) => client.on("error", (error) => console.error(error)));
    const fire = async ({ key }, { job }) => {
        journal.begin(key, job.run_at.getTime());
    };
    const runner = await run({
        pgPool,
        preset: {
            worker: {
                concurrentJobs,
                pollInterval: poll,
                localQueue: { size: localQueue },
                completeJobBatchDelay: batchDelay,
                failJobBatchDelay: batchDelay,
                preparedStatements: true,
                logger: new Logger(() => () => {}),
            },
        },
        taskList: { fire },
        parsedCronItems: parseCronItems(
            crontab.map((key) => ({
                task: "fire",
                match: "* * * * *",
                identifier: key,
                payload: { key },
            })),
        ),
    });
    return async () => {
        await runner.stop();
        await pgPool.end();
    };
});
