// SPDX-License-Identifier: Apache-2.0
//
// The program, on a port of its own, with an empty directory for its files.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export async function startServer(...more) {
    const directory = mkdtempSync(join(tmpdir(), 'belfry-client-'));
    const args = ['serve', '--listen', '127.0.0.1:0', '--grpc', 'none'];
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

// Asks until it is so.
export async function until(ask, isSo) {
    for (;;) {
        const answer = await ask();
        if (isSo(answer)) return answer;
        await new Promise(setImmediate); // who asks only itself lets others work
    }
}
