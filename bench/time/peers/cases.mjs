/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instants, the expressions and the timed loop of bench/time/harness.h, for the
 * JavaScript peers.  Usage of a peer: node FILE MILLISECONDS ROUND.  The first round
 * also sums the answers for all instants; later rounds start at another instant, so
 * that a slow peer is not always timed with the same few.
 */
const INSTANTS = 1000;
const FIRST = 1577836800n;
const SPAN = 315619200n;
const SEED = 0x9e3779b97f4a7c15n;
const ROUND_STRIDE = 197;
const OPS_PER_CLOCK_READ = 16;

const EXPRS = ["* * * * *", "*/15 9-17 * * 1-5", "30 2 * * *", "0 0 1 * *", "0 0 29 2 *"];
const ZONES = ["UTC", "America/New_York"];

function instants() {
    const dates = [];
    let x = SEED;
    for (let i = 0; i < INSTANTS; i++) {
        x ^= BigInt.asUintN(64, x << 13n);
        x ^= x >> 7n;
        x ^= BigInt.asUintN(64, x << 17n);
        dates.push(new Date(Number(FIRST + (x % SPAN)) * 1000));
    }
    return dates;
}

/* Processor time per call of `next` in ns, cycling over the dates from `start` for `ms`. */
function time(next, dates, start, ms) {
    const end = performance.now() + ms;
    const before = process.cpuUsage();
    let ops = 0;
    while (performance.now() < end) {
        for (let i = 0; i < OPS_PER_CLOCK_READ; i++) {
            next(dates[(start + ops++) % INSTANTS]);
        }
    }
    const used = process.cpuUsage(before);
    return ((used.user + used.system) * 1000) / ops;
}

/* `compile(expr, zone)` returns a function from a Date to the milliseconds of the next match. */
export function bench(name, compile) {
    const ms = Number(process.argv[2]);
    const round = Number(process.argv[3]);
    const dates = instants();
    const cells = [];
    for (const expr of EXPRS) {
        for (const zone of ZONES) {
            cells.push({ expr, zone, sum: "-", next: compile(expr, zone) });
        }
    }
    /* Runs all cells once without timing, so that the engine compiles them first. */
    for (const cell of cells) {
        if (round === 0) {
            cell.sum = dates.reduce((sum, date) => sum + cell.next(date) / 1000, 0);
        }
        time(cell.next, dates, 0, ms);
    }
    for (const { expr, zone, sum, next } of cells) {
        const ns = time(next, dates, round * ROUND_STRIDE, ms);
        console.log([name, "next", zone, expr, ns.toFixed(2), sum].join("\t"));
    }
}
