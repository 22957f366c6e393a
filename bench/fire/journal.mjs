/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of a worker process, and its communication with the parent (fleet.mjs).  The
 * same for every subject, so that measuring costs all of them the same.
 */
const PROGRESS_MS = 20;

/* Wall clock in milliseconds, finer than Date.now(). */
export const now = () => performance.timeOrigin + performance.now();

class Journal {
    constructor() {
        this.clear();
    }

    clear() {
        this.keys = [];
        this.dues = [];
        this.begins = [];
        this.done = 0;
        this.lastDone = 0;
    }

    /* A handler begins: its schedule, and when it was due (ms, as number or text). */
    begin(key, due) {
        this.begins.push(now());
        this.keys.push(key);
        this.dues.push(due);
    }

    /* The server has confirmed the end of `count` runs. */
    complete(count) {
        this.done += count;
        this.lastDone = now();
    }

    contents() {
        const dues = this.dues.map((due) => (typeof due === "number" ? due : Date.parse(due)));
        return { keys: this.keys, dues, begins: this.begins, lastDone: this.lastDone };
    }
}

/*
 * Runs a worker: `start(options, journal)` returns a function that stops it.  The parent
 * sends start, clear and stop, and receives the number of completions as it grows.
 */
export function work(start) {
    const journal = new Journal();
    let stop = async () => {};
    let sent = 0;
    const progress = setInterval(() => {
        if (journal.done !== sent) {
            sent = journal.done;
            process.send({ type: "progress", done: sent });
        }
    }, PROGRESS_MS);
    const answer = {
        start: async ({ options }) => {
            stop = await start(options, journal);
        },
        clear: async () => {
            journal.clear();
            sent = 0;
        },
        stop: async () => {
            clearInterval(progress);
            await stop();
            return journal.contents();
        },
    };
    process.on("message", async (message) => {
        const value = await answer[message.type](message);
        process.send({ type: message.type, value });
    });
    process.on("disconnect", () => process.exit(1));
}
