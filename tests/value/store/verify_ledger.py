#!/usr/bin/env python3
"""Makes the hashes of a ledger again without gbv, as docs/formats.md tells it: verify_ledger.py LEDGER [HASH]

Prints the hash of the last record; fails when one is not what the records before and its own content make it, or when HASH,
noted earlier, is none of them."""
import hashlib
import sqlite3
import struct
import sys


def cell(value):
    if value is None:
        return b"N"
    if isinstance(value, int):
        return b"I" + struct.pack("<q", value)
    if isinstance(value, float):
        return b"R" + struct.pack("<d", value)
    tag, data = (b"T", value.encode()) if isinstance(value, str) else (b"B", value)
    return tag + struct.pack("<Q", len(data)) + data


database = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
previous, seen = bytes(32), []
for *record, noted in database.execute(
        "SELECT number, kind, undoes, name, time, reference, settings, hash FROM record ORDER BY number"):
    points = database.execute(
        "SELECT source, name, rows, score, deviation, batch_prior, batch_posterior, prior, log_weight, low, high, z, cusum, "
        "alarm, sha256 FROM point LEFT JOIN source ON source.id = point.source "
        "WHERE point.id BETWEEN ?1 << 32 AND (?1 + 1 << 32) - 1 ORDER BY point.id", (record[0],))
    cells = record + [value for point in points for value in point]
    previous = hashlib.sha256(previous + b"".join(map(cell, cells))).digest()
    seen.append(previous.hex())
    if previous != noted or record[0] != len(seen):
        sys.exit(f"record {record[0]} ({record[3]}) is not what was written")
if database.execute("SELECT records, head FROM ledger").fetchall() != [(len(seen), previous)]:
    sys.exit("the last record is not the one that was written last")
if len(sys.argv) > 2 and sys.argv[2] not in seen:
    sys.exit(f"no record has the hash {sys.argv[2]}")
print(previous.hex())
