/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures every subject in turn, round after round, and prints one line of raw figures for
 * each measurement; bench/README.md says what they mean.
 * Usage: node main.mjs DIRECTORY BELFRY [OPTIONS], called by `run`.
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { parseArgs } from "node:util";

import { Belfry } from "./belfry.mjs";
import { cpuTime } from "./cpu.mjs";
import { Fleet } from "./fleet.mjs";
import { now } from "./journal.mjs";

const CREATE_MARGIN = 1.6; /* creating may be slower than it was while warming up */
const CRON_LEAD_MS = 15_000; /* a crontab's minute must not come while warming up */
const CPU_LEAD_MS = 100; /* reading the processor time takes some itself */
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const IDLE_MS = 40_000;
const SYNC_COUNT = 100;
const STEADY_EVERY_MS = 1000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));

const { positionals, values: options } = parseArgs({
    allowPositionals: true,
    options: {
        count: { type: "string", default: "10000" },
        rounds: { type: "string", default: "3" },
        seconds: { type: "string", default: "20" },
        mode: { type: "string", multiple: true, default: ["burst", "steady"] },
        only: { type: "string", multiple: true },
        set: { type: "string", multiple: true, default: [] },
        smoke: { type: "boolean", default: false },
    },
});
const [root, binary] = positionals;

/*
 * warmCount, warmLeadMs   schedules of each of the two rounds that warm up, and their lead
 * leadMs                  between the last schedule created and the instant due
 * steadyCount             schedules of the steady mode, each due every STEADY_EVERY_MS
 * skipMs                  the beginning of the steady mode that is not counted
 * The lead of smoke mode is long: no figure is measured, and the machine may be busy.
 */
const size = options.smoke
    ? { warmCount: 0, warmLeadMs: 0, leadMs: 3000, steadyCount: 20, skipMs: 0 }
    : { warmCount: 2000, warmLeadMs: 2000, leadMs: 1500, steadyCount: 1000, skipMs: 2000 };

const subjects = [
    new Belfry("belfry-sqlite", "sqlite", binary),
    new Belfry("belfry-postgres", "postgres", binary),
    ...(options.smoke ? [] : await peers()),
].filter(({ name }) => !options.only || options.only.includes(name));

/* Smoke mode does not need their packages. */
async function peers() {
    const { BullMq } = await import("./bullmq.mjs");
    const { Graphile, GraphileCron } = await import("./graphile.mjs");
    return [
        new BullMq("bullmq-always", "always"),
        new BullMq("bullmq-everysec", "everysec"),
        new GraphileCron("graphile-cron"),
        new Graphile("graphile-run_at"),
    ];
}

/* --set NAME.KEY=NUMBER */
for (const text of options.set) {
    const [, name, key, value] = text.match(/^([^.]+)\.(\w+)=(\d+)$/) ?? [];
    const subject = subjects.find((candidate) => candidate.name === name);
    if (subject && !(key in subject.settings)) {
        throw new Error(`${name} has no setting ${key}: ${Object.keys(subject.settings)}`);
    }
    if (subject) {
        subject.settings[key] = Number(value);
    }
}

/* `count` schedules, the first due at `first`, each `step` ms after the one before. */
function plan(prefix, count, { first, step = 0, every = HOUR_MS, slots = 1 }) {
    return Array.from({ length: count }, (_, i) => ({
        key: `${prefix}${i}`,
        first: first + i * step,
        every,
        slots,
    }));
}

function quantile(sorted, part) {
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

/* Each (key, due) once; a duplicate is an error, a missing one is counted. */
function judge(fires, schedules) {
    const expected = new Set();
    for (const { key, first, every, slots } of schedules) {
        for (let i = 0; i < slots; i++) {
            expected.add(`${key} ${first + i * every}`);
        }
    }
    const late = [];
    const total = expected.size;
    const seen = new Set();
    for (const { key, due, begin } of fires) {
        const slot = `${key} ${due}`;
        if (seen.has(slot)) {
            throw new Error(`${slot} was fired twice`);
        }
        seen.add(slot);
        if (expected.delete(slot)) {
            late.push({ due, ms: begin - due });
        }
    }
    return { late, total, missing: expected.size };
}

async function warmUp(subject, fleet) {
    const create = async (prefix) => {
        const started = now();
        const first = Math.ceil(started) + size.warmLeadMs;
        await subject.create(plan(prefix, size.warmCount, { first }));
        return now() - started;
    };
    if (size.warmCount === 0) {
        return 0;
    }
    await create("warm-a");
    const ms = await create("warm-b");
    await fleet.wait(2 * size.warmCount, now(), IDLE_MS);
    if (fleet.done < 2 * size.warmCount) {
        throw new Error(`${subject.name}: ${fleet.done} of ${2 * size.warmCount} warm-up fires`);
    }
    await fleet.clear();
    return ms / size.warmCount;
}

async function createBefore(subject, schedules) {
    const started = now();
    await subject.create(schedules);
    const ended = now();
    if (ended > schedules[0].first) {
        throw new Error(`${subject.name}: creating took ${Math.round(ended - started)} ms`);
    }
    return (1000 * schedules.length) / (ended - started);
}

/* The first instant at which all can be due if one creation takes `createMs`. */
function dueAfter(count, createMs) {
    return Math.ceil(now() + size.leadMs + CREATE_MARGIN * count * createMs);
}

/* Returns a function that returns the processor time used until its call. */
function cpuSince(fleet) {
    const before = cpuTime(fleet.pids);
    return () => {
        const after = cpuTime(fleet.pids);
        return [after.server - before.server, after.workers - before.workers];
    };
}

async function burst(subject, fleet, createMs, count) {
    const minute = Math.ceil(now() / MINUTE_MS) * MINUTE_MS;
    const first = subject.onlyMinutes ? minute : dueAfter(count, createMs);
    const schedules = plan("s", count, { first });
    const creates = subject.onlyMinutes ? 0 : await createBefore(subject, schedules);
    await pause(first - CPU_LEAD_MS - now());
    const used = cpuSince(fleet);
    await fleet.wait(count, first, IDLE_MS);
    const cpu = used();
    const { fires, lastDone } = await fleet.stop();
    return { ...judge(fires, schedules), creates, cpu, spanMs: lastDone - first };
}

async function steady(subject, fleet, createMs, seconds) {
    const slots = (seconds * 1000 + size.skipMs) / STEADY_EVERY_MS;
    const first = dueAfter(size.steadyCount * (subject.createsSlots ? slots : 1), createMs);
    const every = STEADY_EVERY_MS;
    const step = STEADY_EVERY_MS / size.steadyCount;
    const schedules = plan("s", size.steadyCount, { first, step, every, slots });
    const creates = await createBefore(subject, schedules);
    const end = first + slots * every;
    await pause(first - CPU_LEAD_MS - now());
    const used = cpuSince(fleet);
    await pause(end - now());
    const cpu = used();
    await fleet.wait(slots * size.steadyCount, end, STEADY_EVERY_MS);
    const { fires } = await fleet.stop();
    const verdict = judge(fires, schedules);
    const late = verdict.late.filter(({ due }) => due >= first + size.skipMs);
    return { ...verdict, late, creates, cpu, spanMs: end - first };
}

async function measure(subject, mode, dir) {
    let fleet;
    try {
        await subject.start(dir);
        if (subject.onlyMinutes && MINUTE_MS - (now() % MINUTE_MS) < CRON_LEAD_MS) {
            await pause(MINUTE_MS - (now() % MINUTE_MS));
        }
        const count = Number(options.count);
        const crontab = plan("s", count, { first: 0 });
        const each = Array.from({ length: subject.settings.processes }, (_, i) =>
            subject.workerOptions(i, crontab),
        );
        fleet = new Fleet(new URL(subject.workerFile, import.meta.url).pathname, each);
        await fleet.start();
        const createMs = await warmUp(subject, fleet);
        return mode === "burst"
            ? await burst(subject, fleet, createMs, count)
            : await steady(subject, fleet, createMs, Number(options.seconds));
    } finally {
        fleet?.kill();
        await subject.stop();
    }
}

function print(mode, subject, { late, total, missing, creates, cpu, spanMs }) {
    if (late.length === 0) {
        throw new Error(`${subject.name}, ${mode}: none of ${total} fires came`);
    }
    const sorted = Float64Array.from(late, ({ ms }) => ms).sort();
    const figures = [
        (1000 * (total - missing)) / spanMs,
        quantile(sorted, 0.5),
        quantile(sorted, 0.99),
        sorted.at(-1),
        creates,
        ...cpu.map((us) => us / (total - missing)),
    ].map((figure) => figure.toFixed(3));
    const settings = JSON.stringify(subject.settings);
    const fields = ["cell", mode, subject.name, total, missing, ...figures];
    console.log([...fields, settings].join("\t"));
}

/* The minimum time that every durable commit here must wait. */
function printSyncTime() {
    const file = openSync(`${root}/sync`, "w");
    const page = Buffer.alloc(4096);
    const times = [];
    for (let i = 0; i < SYNC_COUNT; i++) {
        const started = now();
        writeSync(file, page);
        fdatasyncSync(file);
        times.push(now() - started);
    }
    closeSync(file);
    console.log(`sync\t${(1000 * quantile(times.sort((a, b) => a - b), 0.5)).toFixed(0)}`);
}

/* The servers die with this process; the runner removes their files. */
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => process.exit(130));
}

/* In smoke mode, one mode on PostgreSQL is enough to see that it runs. */
function takesPart(subject, mode) {
    const isEnough = options.smoke && subject.database === "postgres";
    return mode === "burst" || !(subject.onlyMinutes || isEnough);
}

printSyncTime();
for (let round = 0; round < Number(options.rounds); round++) {
    for (const mode of options.mode) {
        for (const subject of subjects.filter((s) => takesPart(s, mode))) {
            const dir = `${root}/${subject.name}-${mode}-${round}`;
            print(mode, subject, await measure(subject, mode, dir));
        }
    }
}
