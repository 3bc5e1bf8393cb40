# SPDX-License-Identifier: Apache-2.0
# Sourced by cases that make logs of their own.

# run FILE START MS STATUS [SED]: a copy of plain.log that started START seconds later and took MS milliseconds;
# STATUS is run_stop's, or "died": there is no run_stop
run() {
    file=$1 start=$2 ms=$3 status=$4
    shift 4
    awk -v start="$start" -v ms="$ms" -v status="$status" '
        match($0, /"time_ms": [0-9]+/) {
            time = substr($0, RSTART + 11, RLENGTH - 11)
            if (time + 0 > 1745100080000) time = 1745100000000 + ms
            $0 = substr($0, 1, RSTART + 10) sprintf("%.0f", time + start * 1000) substr($0, RSTART + RLENGTH)
        }
        status == "died" && /"run_stop"/ { next }
        { gsub(/"status": "success"/, "\"status\": \"" status "\""); gsub(/4711/, 1000 + start); print }
    ' "$TESTDATA/logs/plain.log" | sed -e "${1:-}" >"$file"
}
