// SPDX-License-Identifier: Apache-2.0
//
// gRPC as bytes over node's HTTP/2: requests as clients of other languages send them, and
// invalid ones.
import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import { after, before, test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import proto from '@temporalio/proto';
import { startServer } from './server.mjs';

const service = proto.temporal.api.workflowservice.v1;
const INVALID = 3, NOT_FOUND = 5, UNIMPLEMENTED = 12;

let server, session;
before(async () => {
    server = await startServer();
    session = connect(server.url);
});
after(async () => {
    session.close();
    await server.stop();
});

const framed = (bytes, isCompressed = false) => {
    const prefix = Buffer.alloc(5);
    prefix[0] = isCompressed ? 1 : 0;
    prefix.writeUInt32BE(bytes.length, 1);
    return Buffer.concat([prefix, bytes]);
};

// Returns the answer: { http, status, text, message }.
function call(method, body, headers = {}) {
    return new Promise((resolve, reject) => {
        const stream = session.request({
            ':method': 'POST',
            ':path': `/temporal.api.workflowservice.v1.WorkflowService/${method}`,
            'content-type': 'application/grpc',
            te: 'trailers',
            ...headers,
        });
        const parts = [];
        let fields = {};
        const add = (more) => (fields = { ...fields, ...more });
        stream.on('response', add);
        stream.on('trailers', add);
        stream.on('data', (part) => parts.push(part));
        stream.on('error', reject);
        stream.on('end', () =>
            resolve({
                http: fields[':status'],
                status: Number(fields['grpc-status']),
                text: decodeURIComponent(fields['grpc-message'] ?? ''),
                message: Buffer.concat(parts).subarray(5),
            }),
        );
        stream.end(body);
    });
}

const describing = (scheduleId) =>
    Buffer.from(service.DescribeScheduleRequest.encode({ namespace: 'default', scheduleId }).finish());
const creating = (scheduleId, size = 1) =>
    Buffer.from(
        service.CreateScheduleRequest.encode({
            namespace: 'default',
            scheduleId,
            requestId: scheduleId,
            schedule: {
                spec: { cronString: ['0 12 * * * 2099'] },
                action: {
                    startWorkflow: {
                        workflowId: 'w',
                        workflowType: { name: 't' },
                        taskQueue: { name: 'q' },
                        input: { payloads: [{ data: Buffer.alloc(size, 'x') }] },
                    },
                },
            },
        }).finish(),
    );

test('a message may be compressed with gzip or deflate', async () => {
    for (const [encoding, pack] of [['gzip', gzipSync], ['deflate', deflateSync]]) {
        const made = await call('CreateSchedule', framed(pack(creating(encoding)), true), { 'grpc-encoding': encoding });
        assert.equal(made.status, 0, made.text);
        const shown = await call('DescribeSchedule', framed(pack(describing(encoding)), true), {
            'grpc-encoding': encoding,
        });
        assert.equal(shown.status, 0, shown.text);
        const answer = service.DescribeScheduleResponse.decode(shown.message);
        assert.equal(answer.schedule.action.startWorkflow.workflowId, 'w');
    }
    const empty = await call('GetSystemInfo', framed(gzipSync(Buffer.alloc(0)), true), { 'grpc-encoding': 'gzip' });
    assert.equal(empty.status, 0, empty.text);
});

test('another encoding is refused as not implemented', async () => {
    const answer = await call('DescribeSchedule', framed(describing('s'), true), { 'grpc-encoding': 'snappy' });
    assert.equal(answer.status, UNIMPLEMENTED);
    assert.match(answer.text, /snappy/);
});

test('invalid gzip is refused, and so is a message that is too large', async () => {
    const gzip = { 'grpc-encoding': 'gzip' };
    const broken = await call('DescribeSchedule', framed(describing('s'), true), gzip);
    assert.equal(broken.status, INVALID);
    const bomb = await call('CreateSchedule', framed(gzipSync(creating('bomb', 8 << 20)), true), gzip);
    assert.equal(bomb.status, INVALID);
    const large = await call('CreateSchedule', framed(creating('large', 3 << 20)));
    assert.equal(large.http, 200);
    assert.equal(large.status, INVALID);
});

test('an invalid frame is refused', async () => {
    for (const body of [
        Buffer.alloc(0),
        Buffer.from([0, 0, 0]),
        Buffer.from([2, 0, 0, 0, 0]),
        Buffer.from([0, 0, 0, 0, 9, 1]),
        Buffer.concat([framed(describing('a')), framed(describing('b'))]),
    ]) {
        const answer = await call('DescribeSchedule', body);
        assert.equal(answer.http, 200);
        assert.equal(answer.status, INVALID, answer.text);
    }
});

test('deadlines of any unit are accepted, and invalid ones are ignored', async () => {
    for (const timeout of ['1H', '5M', '30S', '9932m', '30000000u', '99999999n', 'soon', '']) {
        const answer = await call('DescribeSchedule', framed(describing('nobody')), { 'grpc-timeout': timeout });
        assert.equal(answer.status, NOT_FOUND, timeout);
    }
});

test('another content type is 415, and an unknown method is not implemented', async () => {
    const other = await call('DescribeSchedule', Buffer.from('{}'), { 'content-type': 'application/json' });
    assert.equal(other.http, 415);
    const method = await call('NoSuchMethod', framed(Buffer.alloc(0)));
    assert.equal(method.http, 200);
    assert.equal(method.status, UNIMPLEMENTED);
});
