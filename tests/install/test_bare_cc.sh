#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The core needs no build system: one compiler line, scalar kernels, plain threads.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$ZM_SOURCE_DIR"

shopt -s nullglob
sources=()
for file in $(find src/{core,eikonal,inverse} -name "*.c" | sort); do
    case $file in
    *_avx2* | *_avx512* | *_wasm*) ;;
    *) sources+=("$file") ;;
    esac
done
"${CC:-cc}" -std=c17 -O2 -ffp-contract=off -Iinclude -Isrc tests/install/consumer/consumer.c \
    "${sources[@]}" -lm -lpthread -o "$work/consumer"
"$work/consumer"
