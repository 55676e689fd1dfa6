# SPDX-License-Identifier: MIT
# What a look-up must find, by readelf and by trying every symbol: for addresses at the start, in the
# middle, at the last byte and past the end of each function, and in between. Lines: address start size name.
# usage: expected.py READELF OBJECT MOST_ADDRESSES
import random
import subprocess
import sys

readelf, path, most = sys.argv[1], sys.argv[2], int(sys.argv[3])


def run(*options):
    return subprocess.run([readelf, "-W", *options, path], check=True, capture_output=True, text=True).stdout


sections = {}
for line in run("-S").splitlines():
    if line.strip().startswith("[") and "[Nr]" not in line:
        number, rest = line.split("]", 1)
        fields = rest.split()
        for at, field in enumerate(fields):  # the address is the first field of 16 digits
            if len(field) == 16 and at >= 1:
                address, size = int(field, 16), int(fields[at + 2], 16)
                flags = fields[at + 4] if not fields[at + 4].isdigit() else ""
                sections[int(number.strip(" ["))] = (address + size, "X" in flags)
                break

symbols = set()
for line in run("-s").splitlines():
    fields = line.split()
    if len(fields) < 8 or not fields[6].isdigit():
        continue
    value, size = int(fields[1], 16), int(fields[2], 0)
    kind, binding, section, name = fields[3], fields[4], int(fields[6]), fields[7]
    end, code = sections[section]
    if kind in ("FUNC", "IFUNC") or (kind == "NOTYPE" and size and code):
        # readelf adds versions to .dynsym's names; those of .symtab have them in the text itself
        symbols.add((value, size, {"LOCAL": 0, "WEAK": 1}.get(binding, 2), kind != "NOTYPE", name.split("@")[0], end))

starts = sorted({s[0] for s in symbols})
following = dict(zip(starts, starts[1:]))
spans = []
for start, size, binding, function, name, limit in symbols:
    if size:
        end = start + size
    else:
        end = min(max(limit, start + 1), following.get(start, 1 << 64))
    spans.append((start, end, binding, size, function, name))

addresses = {0, (1 << 64) - 1}
for start, end, *_ in spans:
    addresses |= {start, start + 1, (start + end) // 2, end - 1, end}
addresses = sorted(addresses)
if len(addresses) > most:
    addresses = sorted(random.Random(1).sample(addresses, most))
for address in addresses:
    covering = [s for s in spans if s[0] <= address < s[1]]
    if not covering:
        print(f"{address:x} 0 0 -")
        continue
    best = min(covering, key=lambda s: (-s[0], -s[2], -s[3], not s[4], len(s[5]), s[5].encode()))
    print(f"{address:x} {best[0]:x} {best[3]:x} {best[5]}")
