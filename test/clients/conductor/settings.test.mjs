// SPDX-License-Identifier: Apache-2.0
//
// A server that is started with the settings of Conductor's scheduler, under their own names.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startServer } from './server.mjs';

const directory = mkdtempSync(join(tmpdir(), 'belfry-settings-'));
let server;
before(async () => {
    const file = join(directory, 'scheduler.properties');
    writeFileSync(
        file,
        `conductor.scheduler.enabled=true
conductor.scheduler.polling-interval=1000
conductor.scheduler.poll-batch-size=50
conductor.scheduler.jitter-max-ms=200
conductor.scheduler.archival-max-records=3
`,
    );
    server = await startServer('--file', file);
});
after(async () => {
    await server.stop();
    rmSync(directory, { recursive: true });
});

const line = (name) => server.log.find((one) => one.includes(`name=conductor.scheduler.${name} `));

test('the log shows the effect of each setting', () => {
    assert.match(line('enabled'), /key=enabled/);
    assert.match(line('jitter-max-ms'), /value=200 key=dispatch_jitter/);
    assert.match(line('archival-max-records'), /key=conductor_keep/);
    assert.match(line('polling-interval'), /level=warn .*no effect.* reason="Belfry starts each run/);
    assert.match(line('poll-batch-size'), /no effect/);
});

test('archival-max-records is the retention of saved schedules', async () => {
    const saved = await fetch(`${server.url}/api/scheduler/schedules`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
            name: 'kept',
            cronExpression: '0 0 9 * * ?',
            startWorkflowRequest: { name: 'wf' },
        }),
    });
    assert.equal(saved.status, 200);
    const native = await (await fetch(`${server.url}/api/v1/schedules/kept`)).json();
    assert.equal(native.policies.retention.count, 3);
});
