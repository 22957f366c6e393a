-- SPDX-License-Identifier: Apache-2.0
-- Repeats the same request.  An argument is the average time in ms between two requests of a
-- connection: then the load is fixed, and not the maximum.
local pause

function init(args)
    pause = tonumber(args[1])
    math.randomseed(os.time())
    if pause then
        delay = function() return math.random(0, 2 * pause) end
    end
end

function done(summary, latency)
    local e = summary.errors
    print(string.format("result %.1f %.1f %.1f %d", summary.requests / summary.duration * 1e6,
        latency:percentile(50), latency:percentile(99),
        e.connect + e.read + e.write + e.status + e.timeout))
end
