/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Redis, PostgreSQL and Belfry, each in its own directory.  A server dies with this process,
 * however that ends (PR_SET_PDEATHSIG).
 */
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, openSync, readdirSync } from "node:fs";
import net from "node:net";

const START_MS = 20_000;
const TRY_MS = 20;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(what, isReady) {
    const end = Date.now() + START_MS;
    while (!(await isReady())) {
        if (Date.now() > end) {
            throw new Error(`${what} did not start`);
        }
        await pause(TRY_MS);
    }
}

function connects(where) {
    return new Promise((resolve) => {
        const socket = net.connect(where);
        socket.on("connect", () => resolve(true));
        socket.on("error", () => resolve(false));
        socket.on("connect", () => socket.destroy());
    });
}

export async function freePort() {
    const server = net.createServer();
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address();
    await new Promise((resolve) => server.close(resolve));
    return port;
}

/* A child that dies with us; `stop` ends it with `signal` and waits for its end. */
function launch(dir, command, { signal = "SIGTERM", prefix = ["--pdeathsig", "KILL"] } = {}) {
    const log = openSync(`${dir}/log`, "a");
    const child = spawn("setpriv", [...prefix, "--", ...command], {
        cwd: dir,
        stdio: ["ignore", log, log],
    });
    const ended = new Promise((resolve) => child.on("exit", resolve));
    return {
        pid: child.pid,
        hasEnded: () => child.exitCode !== null || child.signalCode !== null,
        stop: async () => {
            child.kill(signal);
            const timer = setTimeout(() => child.kill("SIGKILL"), START_MS);
            await ended;
            clearTimeout(timer);
        },
    };
}

async function ready(name, server, isReady) {
    try {
        await until(name, async () => {
            if (server.hasEnded()) {
                throw new Error(`${name} ended at its start; its log is in its directory`);
            }
            return isReady();
        });
    } catch (error) {
        await server.stop();
        throw error;
    }
    return server;
}

/* Append-only file as the only persistence; `fsync` is always or everysec. */
export async function startRedis(dir, fsync) {
    mkdirSync(dir);
    const path = `${dir}/socket`;
    const options = { port: 0, unixsocket: path, save: "", appendonly: "yes" };
    Object.assign(options, { appendfsync: fsync, "maxmemory-policy": "noeviction", dir });
    const words = Object.entries(options).flatMap(([key, value]) => [`--${key}`, `${value}`]);
    const server = launch(dir, ["redis-server", ...words]);
    await ready("Redis", server, () => connects({ path }));
    return { ...server, path };
}

function newestPostgres() {
    const root = "/usr/lib/postgresql";
    const version = Math.max(...readdirSync(root).map(Number).filter(Boolean));
    return `${root}/${version}/bin`;
}

/* Default settings, with fsync and vacuum; only the network is disabled.  It refuses root. */
export async function startPostgres(dir) {
    const bin = newestPostgres();
    const prefix = ["--pdeathsig", "QUIT"];
    mkdirSync(dir);
    if (process.getuid() === 0) {
        const [uid, gid] = ["-u", "-g"].map((flag) => execFileSync("id", [flag, "postgres"]));
        prefix.push(`--reuid=${+uid}`, `--regid=${+gid}`, "--clear-groups");
        chownSync(dir, +uid, +gid);
    }
    chmodSync(dir, 0o711);
    const init = ["-D", `${dir}/data`, "-U", "bench", "-A", "trust", "-E", "UTF8"];
    execFileSync("setpriv", [...prefix, "--", `${bin}/initdb`, ...init, "--locale=C"], {
        cwd: dir,
        stdio: "ignore",
    });
    const flags = ["-D", `${dir}/data`, "-k", dir, "-c", "listen_addresses="];
    const server = launch(dir, [`${bin}/postgres`, ...flags], { signal: "SIGINT", prefix });
    const isReady = () => {
        try {
            execFileSync(`${bin}/pg_isready`, ["-q", "-h", dir, "-U", "bench"]);
            return true;
        } catch {
            return false;
        }
    };
    await ready("PostgreSQL", server, isReady);
    const host = encodeURIComponent(dir);
    return { ...server, url: `postgres://bench@/postgres?host=${host}` };
}

/* `db` is the value of --db. */
export async function startBelfry(dir, binary, db) {
    mkdirSync(dir, { recursive: true });
    const port = await freePort();
    const grpc = await freePort();
    const flags = ["--state-dir", dir, "--db", db, "--listen", `127.0.0.1:${port}`];
    const server = launch(dir, [binary, "serve", ...flags, "--grpc", `127.0.0.1:${grpc}`]);
    const url = `http://127.0.0.1:${port}`;
    await ready("Belfry", server, async () => {
        const answer = await fetch(`${url}/readyz`).catch(() => null);
        return answer?.status === 200;
    });
    return { ...server, port };
}
