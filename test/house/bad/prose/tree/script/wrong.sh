#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
echo $1
for file in $(ls *.txt); do
    read line <$file
done
