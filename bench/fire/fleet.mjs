/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worker processes of one measurement: started, queried and ended together.
 */
import { fork } from "node:child_process";

import { now } from "./journal.mjs";

const TICK_MS = 5;
const STOP_MS = 20_000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Fleet {
    constructor(file, options) {
        this.members = options.map((option) => this.#member(file, option));
    }

    #member(file, options) {
        const child = fork(file, { serialization: "advanced" });
        const member = { child, options, done: 0, waiting: new Map(), failure: null };
        child.on("message", ({ type, value, done }) => {
            if (type === "progress") {
                member.done = done;
            } else {
                member.waiting.get(type)?.resolve(value);
                member.waiting.delete(type);
            }
        });
        child.on("exit", (code) => {
            member.failure = new Error(`${file} ended with code ${code}`);
            for (const { reject } of member.waiting.values()) {
                reject(member.failure);
            }
        });
        return member;
    }

    #ask(type) {
        return Promise.all(
            this.members.map(
                (member) =>
                    new Promise((resolve, reject) => {
                        member.waiting.set(type, { resolve, reject });
                        member.child.send({ type, options: member.options });
                    }),
            ),
        );
    }

    start() {
        return this.#ask("start");
    }

    async clear() {
        await this.#ask("clear");
        for (const member of this.members) {
            member.done = 0;
        }
    }

    get pids() {
        return this.members.map(({ child }) => child.pid);
    }

    get done() {
        return this.members.reduce((sum, { done }) => sum + done, 0);
    }

    /*
     * Until `count` runs are complete, or none has been for `idleMs` after `end`: a peer
     * that is too slow may skip slots.
     */
    async wait(count, end, idleMs) {
        let seen = 0;
        let since = now();
        while (this.done < count) {
            const { failure } = this.members.find((member) => member.failure) ?? {};
            if (failure) {
                throw failure;
            }
            if (this.done !== seen) {
                seen = this.done;
                since = now();
            }
            if (now() > Math.max(end, since) + idleMs) {
                return;
            }
            await pause(TICK_MS);
        }
    }

    /* Ends all workers; returns their journals as one list of starts. */
    async stop() {
        const journals = await Promise.race([
            this.#ask("stop"),
            pause(STOP_MS).then(() => {
                throw new Error("the workers did not stop");
            }),
        ]);
        this.kill();
        const fires = journals.flatMap(({ keys, dues, begins }) =>
            keys.map((key, i) => ({ key, due: dues[i], begin: begins[i] })),
        );
        return { fires, lastDone: Math.max(...journals.map(({ lastDone }) => lastDone)) };
    }

    kill() {
        for (const { child } of this.members) {
            child.removeAllListeners("exit");
            child.kill("SIGKILL");
        }
    }
}
