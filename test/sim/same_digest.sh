#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: same_digest.sh BELFRY_SIM
#
# One seed, one course of events: some worlds simulated twice have the same digest, and so has
# a world that comes after others and the same world alone.
set -eu
sim=$1
seeds=25

# The digests of worlds, in their order.  Ignores failed worlds: sim/seeds reports them.
digests() {
    "$sim" "$@" --digests | sed -n 's/^seed \([0-9]*\) digest /\1 /p'
}

first=$(digests --seed 1 --count "$seeds")
second=$(digests --seed 1 --count "$seeds")
if [ "$first" != "$second" ] || [ "$(echo "$first" | wc -l)" -ne "$seeds" ]; then
    echo "$seeds worlds, simulated twice, were not the same:"
    echo "$first"
    echo "and then"
    echo "$second"
    exit 1
fi
for seed in 7 "$seeds"; do
    alone=$(digests --seed "$seed")
    if ! echo "$first" | grep -qx "$alone"; then
        echo "seed $seed alone has digest '$alone', but another one after other worlds"
        exit 1
    fi
done
# A digest that never differs would pass all of this.
if [ "$(echo "$first" | cut -d' ' -f2 | sort -u | wc -l)" -ne "$seeds" ]; then
    echo "two different worlds have the same digest"
    exit 1
fi
echo "$seeds worlds, each the same every time"
