// SPDX-License-Identifier: Apache-2.0
//
// Starts the server on its own port, with an empty directory for its files.  With `clock`, the
// server has a clock that the test sets, by libfaketime as in test/e2e/fake_clock.c.  If
// BELFRY_TEST_DB is "postgres", it has a database in the PostgreSQL of with_postgres.sh.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';

const LIBRARY = 'faketime/libfaketimeMT.so.1';

function findLibrary() {
    for (const folder of readdirSync('/usr/lib').filter((name) => name.includes('linux')))
        if (existsSync(`/usr/lib/${folder}/${LIBRARY}`)) return `/usr/lib/${folder}/${LIBRARY}`;
    throw new Error('libfaketime is not installed; run script/bootstrap');
}

// The offset in seconds; rename() is atomic.
function setOffset(directory, seconds) {
    writeFileSync(join(directory, 'clock.new'), `${seconds >= 0 ? '+' : ''}${seconds}`);
    renameSync(join(directory, 'clock.new'), join(directory, 'clock'));
}

function clockEnvironment(directory) {
    setOffset(directory, 0);
    return {
        LD_PRELOAD: findLibrary(),
        FAKETIME_TIMESTAMP_FILE: join(directory, 'clock'),
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
}

function database(directory) {
    if (process.env.BELFRY_TEST_DB !== 'postgres') return [];
    const name = basename(directory).toLowerCase().replace(/[^a-z0-9]/g, '_');
    execFileSync('psql', ['-q', '-c', `CREATE DATABASE ${name}`, process.env.BELFRY_TEST_URL]);
    return ['--db', process.env.BELFRY_TEST_URL.replace('/postgres?', `/${name}?`)];
}

// Resolves with the port when the server is ready.
function readiness(child, log) {
    return new Promise((resolve, reject) => {
        let port;
        child.once('exit', () => reject(new Error(log.join('\n'))));
        createInterface({ input: child.stderr }).on('line', (line) => {
            log.push(line);
            const found = /msg=listening.* port=(\d+)/.exec(line);
            if (found) port = Number(found[1]);
            if (/msg=ready/.test(line)) resolve(port);
        });
    });
}

async function launch(directory, port, { args = [], clock = false, offset = 0 }) {
    const env = { PATH: process.env.PATH, HOME: directory };
    if (clock) {
        Object.assign(env, clockEnvironment(directory));
        setOffset(directory, offset);
    }
    const all = ['serve', '--listen', `127.0.0.1:${port}`, '--grpc', 'none', '--state-dir', directory];
    const log = [];
    const child = spawn(process.env.BELFRY, [...all, ...args], {
        env,
        stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    return { child, ended, log, port: await readiness(child, log) };
}

export async function startServer(options = {}) {
    const directory = mkdtempSync(join(tmpdir(), 'belfry-ui-'));
    const withDatabase = { ...options, args: [...(options.args ?? []), ...database(directory)] };
    let running = await launch(directory, 0, withDatabase);
    const server = {
        directory,
        url: `http://127.0.0.1:${running.port}`,
        get log() {
            return running.log;
        },
        setClock: (seconds) => setOffset(directory, seconds),
        async end(signal = 'SIGTERM') {
            running.child.kill(signal);
            await running.ended;
        },
        // On the same port, with the same state.
        async restart() {
            running = await launch(directory, running.port, withDatabase);
        },
        async stop() {
            await server.end();
            rmSync(directory, { recursive: true });
        },
    };
    return server;
}
