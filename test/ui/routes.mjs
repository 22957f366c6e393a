// SPDX-License-Identifier: Apache-2.0
//
// The views of the page, for the tests that open all of them and for script/screenshots.
// `route` may be a function of the seeded data; `ready` is a text that appears after a while.

export const ROUTES = [
    { name: 'overview', route: '/' },
    { name: 'timeline', route: '/timeline' },
    { name: 'schedules', route: '/schedules' },
    { name: 'schedule', route: ({ schedule }) => `/schedule/${schedule}` },
    { name: 'edit', route: ({ schedule }) => `/edit/${schedule}`, ready: 'Next times' },
    { name: 'new', route: '/new', ready: 'Next times' },
    { name: 'runs', route: '/runs' },
    { name: 'run', route: ({ run }) => `/run/${run}` },
    { name: 'queues', route: '/queues' },
    { name: 'gates', route: '/gates' },
    { name: 'nodes', route: '/nodes' },
    { name: 'events', route: '/events' },
    { name: 'calendars', route: '/calendars' },
    { name: 'namespaces', route: '/namespaces' },
    { name: 'tokens', route: '/tokens' },
    { name: 'audit', route: '/audit' },
    { name: 'backfills', route: '/backfills' },
    { name: 'clock', route: '/clock' },
    { name: 'what-if', route: '/what-if' },
];

// The addresses of all views, with names from the server where a view needs one.
export async function routesOf(api, { schedule } = {}) {
    const { runs } = await api.get('/api/v1/runs?limit=1');
    const { schedules } = await api.get('/api/v1/schedules?limit=1');
    const values = {
        schedule: encodeURIComponent(schedule ?? schedules[0]?.id ?? 'none'),
        run: runs[0]?.id ?? 'none',
    };
    return ROUTES.map(({ name, route, ready }) => ({
        name,
        ready,
        route: typeof route === 'function' ? route(values) : route,
    }));
}
