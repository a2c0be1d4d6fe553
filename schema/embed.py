#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Turn the SQL files into the C tables that orchestrator/store/schema.h declares.

Each migration ends by setting user_version to its own number.

usage: embed.py OUTPUT.c VIEWS.sql 0001_NAME.sql 0002_NAME.sql ...
"""
import os
import sys


def literal(path):
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?") for line in lines)
    return "\n".join(f'\t"{line}\\n"' for line in escaped)


def main():
    output, views, *migrations = sys.argv[1:]
    for number, path in enumerate(migrations, 1):
        if not os.path.basename(path).startswith(f"{number:04d}_"):
            sys.exit(f"{path} should be number {number:04d}: numbers leave no gap")
    with open(output, "w", encoding="utf-8") as f:
        f.write('/* Generated from schema/ by embed.py. */\n#include "store/schema.h"\n\n')
        f.write("const char *const tp_schema_migrations[] = {\n")
        for number, path in enumerate(migrations, 1):
            f.write(f'{literal(path)}\n\t"PRAGMA user_version = {number};\\n",\n')
        f.write("};\n")
        f.write(f"const int tp_schema_version = {len(migrations)};\n\n")
        f.write(f"const char tp_schema_views[] =\n{literal(views)};\n")


main()
