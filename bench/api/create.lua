-- SPDX-License-Identifier: Apache-2.0
-- Creates a schedule with every request, each with its own name.  The argument is the prefix of
-- the names of this run.
local before, after, n = nil, nil, 0

-- Everything but the number is built once: the client shares the processors with the server, and
-- its own work reduces the number of answers.
function init(args)
    local number = string.format("-%09d", 0)
    local head = '{"id":"' .. args[1]
    local tail = '","spec":{"cron":["30 2 * * *"]},"action":{"type":"queue","queue":"bench",' ..
        '"input":{"name":"world"}}}'
    local whole

    wrk.headers["Content-Type"] = "application/json"
    whole = wrk.format("POST", nil, nil, head .. number .. tail)
    before = whole:sub(1, #whole - #number - #tail)
    after = tail
end

function request()
    n = n + 1
    return before .. string.format("-%09d", n) .. after
end

function done(summary, latency)
    local e = summary.errors
    print(string.format("result %.1f %.1f %.1f %d", summary.requests / summary.duration * 1e6,
        latency:percentile(50), latency:percentile(99),
        e.connect + e.read + e.write + e.status + e.timeout))
end
