"""Fails when a dependency of the workspace has no permissive licence."""
import json
import re
import subprocess
import sys

PERMISSIVE = {"MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib", "Unicode-3.0",
              "Unlicense", "CC0-1.0", "0BSD", "BSL-1.0", "MIT-0"}

metadata = json.loads(subprocess.run(["cargo", "metadata", "--format-version", "1", "--locked"], check=True, capture_output=True).stdout)
bad = []
for package in metadata["packages"]:
    expression = (package["license"] or "").replace("/", " OR ")
    # A disjunction needs one permissive branch; a conjunction needs all of its parts.
    branches = [re.sub(r"[()]", "", branch).split(" AND ") for branch in expression.split(" OR ")]
    if not any(all(part.strip() in PERMISSIVE for part in branch) for branch in branches):
        bad.append(f"{package['name']} {package['version']}: {expression or 'no licence'}")
if bad:
    sys.exit("not permissive:\n  " + "\n  ".join(bad))
