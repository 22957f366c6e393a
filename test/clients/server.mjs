// SPDX-License-Identifier: Apache-2.0
//
// Starts the server on its own port, with an empty directory for its files.  If BELFRY_TEST_DB
// is "postgres", the server gets its own database in the PostgreSQL of with_postgres.sh.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';

function database(directory) {
    if (process.env.BELFRY_TEST_DB !== 'postgres') return [];
    const name = basename(directory).toLowerCase().replace(/[^a-z0-9]/g, '_');
    execFileSync('psql', ['-q', '-c', `CREATE DATABASE ${name}`, process.env.BELFRY_TEST_URL]);
    return ['--db', process.env.BELFRY_TEST_URL.replace('/postgres?', `/${name}?`)];
}

export async function startServer(...more) {
    const directory = mkdtempSync(join(tmpdir(), 'belfry-client-'));
    const args = ['serve', '--listen', '127.0.0.1:0', '--grpc', 'none', ...database(directory)];
    const child = spawn(process.env.BELFRY, [...args, '--state-dir', directory, ...more], {
        stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const log = [];
    let port;
    await new Promise((resolve, reject) => {
        child.once('exit', () => reject(new Error(log.join('\n'))));
        createInterface({ input: child.stderr }).on('line', (line) => {
            log.push(line);
            const found = /msg=listening.* port=(\d+)/.exec(line);
            if (found) port = Number(found[1]);
            if (/msg=ready/.test(line)) resolve();
        });
    });
    return {
        address: `127.0.0.1:${port}`,
        url: `http://127.0.0.1:${port}`,
        log,
        async stop() {
            child.kill('SIGTERM');
            await ended;
            rmSync(directory, { recursive: true });
        },
    };
}

// Repeats the request until the answer meets the condition.
export async function until(ask, isMet) {
    for (;;) {
        const answer = await ask();
        if (isMet(answer)) return answer;
        await new Promise(setImmediate); // let other tasks of this process run
    }
}
