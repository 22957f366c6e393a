// SPDX-License-Identifier: Apache-2.0
//
// Schedules without slots, their runs, and a worker's reports, for tests of the views of runs.

export const put = (api, path, body, status = null) => api.send('PUT', path, body, status);

// A schedule that runs only when it is triggered.
export function queueSchedule(api, id, { queue = id, policies = {}, ...rest } = {}) {
    return put(api, `/api/v1/schedules/${id}`, {
        spec: {},
        action: { type: 'queue', queue },
        policies: { overlap: 'allowAll', ...policies },
        ...rest,
    });
}

// The id of the run.
export async function trigger(api, schedule, body = {}) {
    return (await api.post(`/api/v1/schedules/${schedule}/trigger`, body)).id;
}

export async function claim(api, queue, worker = 'worker-1', max = 1) {
    return (await api.post('/api/v1/queues/claim', { queues: [queue], max, wait: '5s', worker })).runs;
}

export function complete(api, { id, fence }, body = {}) {
    return api.post(`/api/v1/runs/${id}/complete`, { fence, ...body });
}

export function fail(api, { id, fence }, message = 'no room') {
    return api.post(`/api/v1/runs/${id}/fail`, { fence, error: { code: 'disk', message } });
}

export function heartbeat(api, { id, fence }, body = {}) {
    return api.post(`/api/v1/runs/${id}/heartbeat`, { fence, ...body });
}

export async function waitFor(condition) {
    for (;;) {
        const value = await condition();
        if (value) return value;
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}
