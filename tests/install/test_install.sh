#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An installed zermelo, moved to another place, serves a project through find_package and
# through pkg-config; the tool runs from there; DESTDIR is respected.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
consumer=$ZM_SOURCE_DIR/tests/install/consumer
cc=${CC:-cc}
version=$(sed -n 's/^#define ZM_VERSION "\(.*\)"/\1/p' "$ZM_SOURCE_DIR/include/zermelo/version.h")

step() { echo "-- $*"; }
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log" && false; }; }

step "install, then move"
quietly cmake --install "$ZM_BINARY_DIR" --prefix "$work/first"
mv "$work/first" "$work/second"
prefix=$work/second
libdir=$(dirname "$(find "$prefix" -name 'libzermelo.so' -o -name 'libzermelo.a' | head -n 1)")
if grep -rlF -e "$work/first" "$prefix" --include='*.pc' --include='*.cmake'; then
    echo "the files above name the place of installation" && exit 1
fi

step "every public header, and nothing private"
(cd "$prefix/include" && find . -name '*.h') | while read -r header; do
    cmp "$prefix/include/$header" "$ZM_SOURCE_DIR/include/$header"
done
[ -f "$prefix/include/zermelo/zermelo.h" ]

step "find_package"
quietly cmake -S "$consumer" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" -DZERMELO_WANTED="$version"
quietly cmake --build "$work/cmake"
ran=0
for program in "$work"/cmake/consumer*; do
    if [ -f "$program" ] && [ -x "$program" ]; then
        (cd "$work" && "$program")
        ran=$((ran + 1))
    fi
done
[ "$ran" -ge 2 ]

step "pkg-config"
export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
[ "$(pkg-config --modversion zermelo)" = "$version" ]
for pc in "$libdir"/pkgconfig/zermelo*.pc; do
    name=$(basename "$pc" .pc)
    parts=$(pkg-config --variable=parts "$name")
    read -ra flags <<<"$(pkg-config --cflags --libs "$name")"
    for source in $([ -z "$parts" ] && echo "${name/zermelo/consumer}" || printf 'consumer_%s ' $parts); do
        "$cc" -std=c17 -Wall -Wextra -Werror "$consumer/${source//-/_}.c" "${flags[@]}" -lm -o "$work/$name"
        (cd "$work" && "./$name")
    done
done

if [ -f "$ZM_SOURCE_DIR/docs/c-api.md" ]; then
    step "the program in docs/c-api.md"
    "$ZM_SOURCE_DIR/tools/check_docs.py" --program "$ZM_SOURCE_DIR/docs/c-api.md" >"$work/readme.c"
    read -ra flags <<<"$(pkg-config --cflags --libs zermelo)"
    "$cc" -std=c17 -Wall -Wextra -Werror "$work/readme.c" "${flags[@]}" -lm -o "$work/readme"
    (cd "$work" && ./readme)
fi
unset LD_LIBRARY_PATH # the installed tool finds its libraries without help

if [ -n "${ZERMELO:-}" ]; then
    step "the tool"
    "$prefix/bin/zermelo" --version
    "$prefix/bin/zermelo" --version | grep -qF "$version"
fi

step "DESTDIR"
DESTDIR=$work/stage quietly cmake --install "$ZM_BINARY_DIR" --prefix /opt/zermelo
[ -f "$work/stage/opt/zermelo/include/zermelo/zermelo.h" ]
echo "installed as it should be"
