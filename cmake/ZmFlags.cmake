# SPDX-License-Identifier: Apache-2.0
# Compiler flags of every target: the language, the warnings, floating point as written.

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo" FORCE)
endif()
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON) # for editors, and for tools/check_symbols.py
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

# Unreached cells are INFINITY and results must not depend on the compiler: no -ffast-math,
# no part of it, and no fusing of a*b+c that the source does not ask for.  Nobody reads errno after
# sqrt; without that flag every sqrt carries a branch and a call.
add_compile_options(-ffp-contract=off -fno-math-errno)

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
                    -Wmissing-prototypes -Wvla)
if(ZM_WERROR)
    add_compile_options(-Werror)
endif()

# What is shipped checks its stack and the buffers it hands to the C library, and what the loader
# has filled in is read-only before main.  Programs can lie anywhere in memory.
set(zm_hardened OFF)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT ZM_SANITIZE AND NOT ZM_FUZZ AND NOT ZM_COVERAGE)
    set(zm_hardened ON)
    add_compile_options(-fstack-protector-strong
                        $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
                        $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
    add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
endif()

if(ZM_SANITIZE)
    add_compile_options(-fsanitize=${ZM_SANITIZE} -fno-sanitize-recover=all
                        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${ZM_SANITIZE})
    if(ZM_SANITIZE MATCHES "undefined") # not among them: numbers that an integer cannot hold
        add_compile_options(-fsanitize=float-cast-overflow)
    endif()
endif()
if(ZM_FUZZ) # the fuzzer is guided by the branches that the library takes
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(ZM_COVERAGE)
    add_compile_options(--coverage)
    add_link_options(--coverage)
endif()
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    # A program depends on what it uses, not on all it was offered.
    add_link_options(LINKER:--as-needed)
endif()
