# SPDX-License-Identifier: Apache-2.0
#
# Medians of the rounds, and how Belfry compares with nghttpx and with no proxy.

function median(key,    n, i, j, t, list) {
    n = split(values[key], list, " ")
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && list[j - 1] + 0 > list[j] + 0; j--) {
            t = list[j]; list[j] = list[j - 1]; list[j - 1] = t
        }
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

BEGIN { FS = "\t" }
{ values[$1 " " $2 " " $3] = values[$1 " " $2 " " $3] " " $4 }
END {
    split("http1 grpc", kinds, " ")
    for (k = 1; k <= 2; k++) {
        kind = kinds[k]
        direct = median("rate " kind " direct")
        proxy = median("rate " kind " nghttpx")
        belfry = median("rate " kind " belfry")
        if (direct > 0)
            printf "%-6s answers/s  direct %8.0f  nghttpx %8.0f  Belfry %8.0f  Belfry/nghttpx %3.0f %%\n",
                kind, direct, proxy, belfry, 100 * belfry / proxy
        direct = median("p99 " kind " direct")
        proxy = median("p99 " kind " nghttpx")
        belfry = median("p99 " kind " belfry")
        if (direct > 0)
            printf "%-6s p99 in ms  direct %8.3f  nghttpx %8.3f  Belfry %8.3f  added by Belfry %.3f ms\n",
                kind, direct, proxy, belfry, belfry - direct
    }
}
