#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Validates reports against the shipped JSON Schema, by a validator that is not ours, and with a JSON
reader that refuses what JSON does not know (NaN, Infinity, a key twice).
usage: validate.py SCHEMA REPORT..."""
import json
import sys

import jsonschema


def once(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError("a key twice in " + ", ".join(keys))
    return dict(pairs)


def refuse(name):
    raise ValueError(name + " is not JSON")


def load(path):
    with open(path, encoding="utf-8", errors="strict") as file:
        return json.load(file, object_pairs_hook=once, parse_constant=refuse)


schema = load(sys.argv[1])
validator = jsonschema.validators.validator_for(schema)
validator.check_schema(schema)
bad = 0
for path in sys.argv[2:]:
    try:
        for error in validator(schema).iter_errors(load(path)):
            print(f"{path}: {error.json_path}: {error.message[:300]}")
            bad = 1
    except (ValueError, OSError) as error:
        print(f"{path}: {error}")
        bad = 1
sys.exit(bad)
