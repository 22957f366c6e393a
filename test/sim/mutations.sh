#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: mutations.sh BELFRY_SIM [SEEDS]
#
# Checks the judge itself.  --mutations falsifies one row of the ledger, one started slot or one mark
# of a record, again and again; the judge must reject each of these records.
set -eu
sim=$1
seeds=${2:-60}

said=$("$sim" --seed 1 --count "$seeds" --mutations 20) || {
    echo "$said"
    exit 1
}
mutated=$(echo "$said" | sed -n 's/^doctored: //p')
if [ "${mutated:-0}" -lt "$seeds" ]; then
    echo "only ${mutated:-0} records of $seeds worlds were falsified"
    exit 1
fi
echo "$mutated falsified records, all of them rejected"
