# SPDX-License-Identifier: Apache-2.0
# What all tests have in common: how they are found by label, and their environment.

find_program(ZM_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH) # the one with numpy
find_program(ZM_PYTHON NAMES python3 REQUIRED)

set(zm_suppressions ${PROJECT_SOURCE_DIR}/tests/support/lsan.supp)
set(zm_test_environment "ZERMELO=$<TARGET_FILE:zermelo_tool>"
                        "ZM_SOURCE_DIR=${PROJECT_SOURCE_DIR}"
                        "ZM_BINARY_DIR=${PROJECT_BINARY_DIR}" "CC=${CMAKE_C_COMPILER}"
                        "PYTHONDONTWRITEBYTECODE=1"
                        "ASAN_OPTIONS=allocator_may_return_null=1"
                        "LSAN_OPTIONS=suppressions=${zm_suppressions}:print_suppressions=0"
                        "UBSAN_OPTIONS=print_stacktrace=1")

# Label, time limit and environment of a test.
function(zm_test_properties name kind)
    set_tests_properties(${name} PROPERTIES LABELS ${kind} TIMEOUT 900
                         SKIP_RETURN_CODE 77 ENVIRONMENT "${zm_test_environment}")
endfunction()
