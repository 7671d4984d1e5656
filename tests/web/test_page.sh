#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The page of zermelo view in a browser without a window, opened as a file: tests/web/page.mjs.
set -euo pipefail
cd "$ZM_SOURCE_DIR"
skip() { echo "skipped: $1"; exit 77; }
[ -x "$(dirname "$ZERMELO")/zermelo-view" ] || skip "no zermelo-view here; see tools/install-deps build"
command -v node >/dev/null || skip "no node here; see tools/install-deps web"
command -v chromium >/dev/null || skip "no chromium here; see tools/install-deps web"
[ -d web/node_modules/playwright-core ] || skip "no playwright-core here; see tools/web-deps"
exec node tests/web/page.mjs
