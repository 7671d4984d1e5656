#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The page's TypeScript has the types it says, and passes the linter.
set -euo pipefail
cd "$ZM_SOURCE_DIR/web"
skip() { echo "skipped: $1"; exit 77; }
command -v node >/dev/null || skip "no node here; see tools/install-deps web"
[ -d node_modules/typescript-eslint ] || skip "no TypeScript here; see tools/web-deps"
node node_modules/typescript/bin/tsc -p .
node node_modules/eslint/bin/eslint.js src
