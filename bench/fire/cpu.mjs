/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processor time of the servers and workers below this process.  On a shared
 * machine it is more reliable than a clock.
 */
import { readdirSync, readFileSync } from "node:fs";

const TICK_US = 10_000; /* USER_HZ is 100 wherever Linux runs */

/* Parent and microseconds of every process. */
function processes() {
    const found = new Map();
    for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
        try {
            const text = readFileSync(`/proc/${name}/stat`, "latin1");
            const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
            const us = TICK_US * (Number(fields[11]) + Number(fields[12]));
            found.set(Number(name), { parent: Number(fields[1]), us });
        } catch {
            /* It ended meanwhile. */
        }
    }
    return found;
}

/* { server, workers } in microseconds since their starts; `workers` are process ids. */
export function cpuTime(workers) {
    const all = processes();
    const sums = { server: 0, workers: 0 };
    for (const [pid, { us }] of all) {
        let above = pid;
        while (above && above !== process.pid) {
            above = all.get(above)?.parent;
        }
        if (above && pid !== process.pid) {
            sums[workers.includes(pid) ? "workers" : "server"] += us;
        }
    }
    return sums;
}
