-- SPDX-License-Identifier: Apache-2.0
-- A schedule with every request, each with a name of its own.  The argument is what the names
-- of this run begin with.
local head, tail, n = nil, nil, 0

function init(args)
    head = '{"id":"' .. args[1]
    tail = '","spec":{"cron":["30 2 * * *"]},"action":{"type":"queue","queue":"bench",' ..
        '"input":{"name":"world"}}}'
    wrk.headers["Content-Type"] = "application/json"
end

function request()
    n = n + 1
    return wrk.format("POST", nil, nil, head .. string.format("-%09d", n) .. tail)
end

function done(summary, latency)
    local e = summary.errors
    print(string.format("result %.1f %.1f %.1f %d", summary.requests / summary.duration * 1e6,
        latency:percentile(50), latency:percentile(99),
        e.connect + e.read + e.write + e.status + e.timeout))
end
