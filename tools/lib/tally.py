# SPDX-License-Identifier: GPL-2.0-or-later
"""Count the results in a test log of meson's (one JSON object a line): passed, failed, skipped."""
import json
import sys

PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP"}


def main(path):
    passed = failed = skipped = 0
    try:
        with open(path, encoding="utf-8", errors="replace") as log:
            for line in log:
                if not line.strip():
                    continue
                result = json.loads(line)["result"]
                passed += result in PASSED
                skipped += result in SKIPPED
                failed += result not in PASSED | SKIPPED
    except (OSError, ValueError, KeyError) as error:
        print(f"cannot read the test log {path}: {error}", file=sys.stderr)
        return 1
    print(passed, failed, skipped)
    return 0


sys.exit(main(sys.argv[1]))
