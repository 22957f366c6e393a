#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: canary.sh BELFRY_SIM
#
# Checks the judge itself.  --canary removes one row from the record of each world; each of these
# worlds must fail, and the exit status must be 1.
set -eu
sim=$1
seeds=25

status=0
said=$("$sim" --seed 1 --count "$seeds" --canary) || status=$?
doctored=$(echo "$said" | sed -n 's/^doctored: //p')
failed=$(echo "$said" | grep -c '^seed [0-9]* failed: [0-9]*: ' || true)
if [ "$status" -ne 1 ] || [ -z "$doctored" ] || [ "$doctored" -ne "$failed" ]; then
    echo "of $seeds records ${doctored:-none} were doctored, $failed failed; status $status"
    echo "$said"
    exit 1
fi
echo "$doctored doctored records of $seeds, all of them rejected"
