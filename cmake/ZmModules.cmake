# SPDX-License-Identifier: Apache-2.0
# How libraries are made of module directories, and programs of libraries.
#
# Every library is compiled once, as position-independent objects, and linked twice: as the
# library that is installed (zermelo_core, zermelo_io, ...), and as a static archive
# (zermelo_core_static, zermelo_io_static, ...) for what looks inside: tests, benchmarks, the
# paper's algorithms and the Python module.  Without BUILD_SHARED_LIBS there is one archive.

include(CheckCSourceCompiles)
include(CheckLinkerFlag)

set(ZM_LIBRARIES "") # names given to zm_library that were built
set(ZM_PROGRAMS "")  # targets that zm_program made

# Libraries are found from where the files are, so that a prefix may be moved.  What is built has
# the same search path as what is installed: a path that CMake rewrites during installation ends
# with an empty entry in the build tree, which means the working directory.
set(zm_library_rpath BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
file(RELATIVE_PATH zm_bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set(zm_program_rpath BUILD_WITH_INSTALL_RPATH ON
                     INSTALL_RPATH "$ORIGIN/${zm_bin_to_lib}:$ORIGIN/../lib")
if(zm_bin_to_lib STREQUAL "../lib")
    set(zm_program_rpath BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../lib")
endif()

# Threads.
set(zm_thread_target Threads::Threads)
set(CMAKE_THREAD_PREFER_PTHREAD ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
set(ZM_HAVE_OPENMP OFF)
if(ZM_WITH_OPENMP)
    find_package(OpenMP QUIET COMPONENTS C)
    if(OpenMP_C_FOUND)
        set(ZM_HAVE_OPENMP ON)
        set(zm_thread_target OpenMP::OpenMP_C)
    else()
        message(STATUS "zermelo: no OpenMP for ${CMAKE_C_COMPILER_ID}: plain threads "
                       "(Debian: libgomp1 comes with gcc, libomp-dev is for clang)")
    endif()
endif()

# Instruction sets: files named *_<isa>*.c get the flags of that set.
set(zm_flags_avx2 -mavx2 -mfma -mbmi -mbmi2)
set(zm_flags_avx512 -mavx512f -mavx512dq -mavx512vl -mavx512bw ${zm_flags_avx2})
set(zm_isas "")
if(ZM_WITH_SIMD AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    foreach(isa avx2 avx512)
        string(TOUPPER ${isa} ISA)
        string(REPLACE ";" " " CMAKE_REQUIRED_FLAGS "${zm_flags_${isa}}")
        check_c_source_compiles("#include <immintrin.h>
            int main(void) { return _mm256_extract_epi32(_mm256_setzero_si256(), 0); }"
            ZM_COMPILER_HAS_${ISA})
        unset(CMAKE_REQUIRED_FLAGS)
        if(ZM_COMPILER_HAS_${ISA})
            list(APPEND zm_isas ${isa})
        else()
            message(STATUS "zermelo: the compiler does not know ${ISA}: left out")
        endif()
    endforeach()
endif()

# Removes kernels of other instruction sets from the list named `list_var`, gives the rest
# their flags and puts ZM_HAVE_<ISA> into the list named `definitions_var`.
function(zm_choose_kernels list_var definitions_var)
    set(kept ${${list_var}})
    set(defs "")
    foreach(isa avx2 avx512 wasm) # the last is that of web/
        set(wide ${kept})
        list(FILTER wide INCLUDE REGEX "_${isa}[^/]*\\.c$")
        if(isa IN_LIST zm_isas AND wide)
            string(TOUPPER ${isa} ISA)
            list(APPEND defs ZM_HAVE_${ISA})
            set_source_files_properties(${wide} PROPERTIES
                                        COMPILE_OPTIONS "${zm_flags_${isa}}")
        elseif(wide)
            list(REMOVE_ITEM kept ${wide})
        endif()
    endforeach()
    set(${list_var} ${kept} PARENT_SCOPE)
    set(${definitions_var} ${defs} PARENT_SCOPE)
endfunction()

# zm_require_pkg(PREFIX "what for" "debian packages" modules...): pkg-config modules as
# PkgConfig::PREFIX, or a message that says what to install.
function(zm_require_pkg prefix purpose packages)
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
        pkg_check_modules(${prefix} QUIET IMPORTED_TARGET ${ARGN})
    else()
        string(PREPEND packages "pkg-config ")
    endif()
    if(NOT ${prefix}_FOUND)
        message(STATUS "zermelo: no ${purpose}: install ${packages}")
    endif()
    set(${prefix}_FOUND ${${prefix}_FOUND} PARENT_SCOPE)
endfunction()

# zm_require_library(PREFIX "what for" "debian packages" library header): one without a
# pkg-config file, as ZM::<rest of PREFIX after ZM_>.
function(zm_require_library prefix purpose packages library header)
    find_library(${prefix}_LIBRARY ${library})
    find_path(${prefix}_INCLUDE ${header})
    set(${prefix}_FOUND OFF PARENT_SCOPE)
    if(${prefix}_LIBRARY AND ${prefix}_INCLUDE)
        string(REGEX REPLACE "^ZM_" "ZM::" target ${prefix})
        add_library(${target} UNKNOWN IMPORTED)
        set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${${prefix}_LIBRARY}
                              INTERFACE_INCLUDE_DIRECTORIES ${${prefix}_INCLUDE})
        set(${prefix}_FOUND ON PARENT_SCOPE)
    else()
        message(STATUS "zermelo: no ${purpose}: install ${packages}")
    endif()
endfunction()

# ---- libraries -----------------------------------------------------------------------

set(zm_abi_version ${PROJECT_VERSION_MAJOR})
if(zm_abi_version EQUAL 0) # before 1.0 every minor version may break the ABI
    set(zm_abi_version 0.${PROJECT_VERSION_MINOR})
endif()

# Symbols that leave a shared library have a version.  That of ZM_API functions is the soname's.
# Whatever else is visible (SHARES of zm_library) has the full one: the loader then refuses
# libraries of this project that were not built together.
file(GLOB_RECURSE zm_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/zermelo/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${zm_headers})
set(zm_public "")
foreach(header ${zm_headers})
    file(STRINGS ${header} declarations REGEX "^ZM_API .*\\(")
    foreach(declaration ${declarations})
        string(REGEX REPLACE "^([^(]*[ *])?([a-z0-9_]+)\\(.*" "\\2" symbol "${declaration}")
        string(APPEND zm_public "    ${symbol};\n")
    endforeach()
endforeach()
set(zm_version_script ${PROJECT_BINARY_DIR}/cmake/zermelo.map)
file(CONFIGURE OUTPUT ${zm_version_script} @ONLY
     CONTENT "ZERMELO_@zm_abi_version@ {
global:
@zm_public@};
ZERMELO_PRIVATE_@PROJECT_VERSION@ {
global:
    zm_*;
local:
    *;
};
")
set(zm_shared_options "")
if(BUILD_SHARED_LIBS)
    check_linker_flag(C LINKER:--version-script=${zm_version_script} ZM_LINKER_HAS_VERSIONS)
    check_linker_flag(C LINKER:--undefined-version ZM_LINKER_HAS_UNDEFINED_VERSION)
    if(ZM_LINKER_HAS_VERSIONS)
        # Calls within a library are direct ones; every library names all that it needs.
        list(APPEND zm_shared_options LINKER:--version-script=${zm_version_script}
                                      LINKER:-Bsymbolic-functions)
        if(NOT ZM_SANITIZE AND NOT ZM_FUZZ) # whose functions come with the program
            list(APPEND zm_shared_options LINKER:--no-undefined)
        endif()
    endif()
    if(ZM_LINKER_HAS_UNDEFINED_VERSION) # the script lists the symbols of all libraries
        list(APPEND zm_shared_options LINKER:--undefined-version)
    endif()
endif()

# zm_library(name MODULES dirs... [SHARES dirs...] [OBJECTS targets...] [USES names...]
#            [LINK targets...])
#
# Target zermelo_<name> of all sources below src/<dir>, and of object libraries, exported as
# zermelo::<name>.  Functions in the directories after SHARES may be called from the other libraries
# of this project.
function(zm_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "MODULES;SHARES;OBJECTS;USES;LINK")
    set(target zermelo_${name})
    set(sources "")
    foreach(module ${arg_MODULES})
        file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${module}/*.c)
        list(APPEND sources ${found})
        if(module IN_LIST arg_SHARES)
            set_source_files_properties(${found} PROPERTIES
                COMPILE_OPTIONS "-fvisibility=default;-fno-semantic-interposition")
        endif()
    endforeach()
    zm_choose_kernels(sources definitions)
    list(APPEND arg_LINK m)
    if(name STREQUAL "core")
        list(APPEND arg_LINK ${zm_thread_target})
        if(ZM_HAVE_OPENMP)
            list(APPEND definitions ZM_WITH_OPENMP)
        endif()
    endif()

    add_library(${target}_objects OBJECT ${sources})
    target_include_directories(${target}_objects PRIVATE ${PROJECT_SOURCE_DIR}/include
                                                         ${PROJECT_SOURCE_DIR}/src)
    if(arg_OBJECTS) # are found by their place in the tree
        target_include_directories(${target}_objects PRIVATE ${PROJECT_SOURCE_DIR})
    endif()
    target_compile_definitions(${target}_objects PRIVATE ${definitions})
    target_link_libraries(${target}_objects PRIVATE ${arg_LINK})

    set(objects $<TARGET_OBJECTS:${target}_objects>)
    foreach(more ${arg_OBJECTS})
        list(APPEND objects $<TARGET_OBJECTS:${more}>)
    endforeach()
    string(REPLACE "zermelo_core" "zermelo" file ${target})
    add_library(${target} ${objects})
    add_library(zermelo::${name} ALIAS ${target})
    target_include_directories(
        ${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${target} PRIVATE ${arg_LINK})
    target_link_options(${target} PRIVATE ${zm_shared_options})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${file} EXPORT_NAME ${name}
                          LINKER_LANGUAGE C LINK_DEPENDS ${zm_version_script}
                          VERSION ${PROJECT_VERSION} SOVERSION ${zm_abi_version}
                          ${zm_library_rpath})

    if(BUILD_SHARED_LIBS)
        add_library(${target}_static STATIC ${objects})
        set_target_properties(${target}_static PROPERTIES LINKER_LANGUAGE C)
        target_link_libraries(${target}_static PUBLIC ${arg_LINK})
    else()
        add_library(${target}_static INTERFACE)
        target_link_libraries(${target}_static INTERFACE ${target} ${arg_LINK})
    endif()
    target_include_directories(${target}_static INTERFACE ${PROJECT_SOURCE_DIR}/include
                                                          ${PROJECT_SOURCE_DIR}/src)
    target_compile_definitions(${target}_static INTERFACE ${definitions})

    foreach(used ${arg_USES})
        target_link_libraries(${target} PUBLIC zermelo_${used})
        target_link_libraries(${target}_static INTERFACE zermelo_${used}_static)
    endforeach()
    list(APPEND ZM_LIBRARIES ${name})
    set(ZM_LIBRARIES ${ZM_LIBRARIES} PARENT_SCOPE)
endfunction()

# ---- programs ------------------------------------------------------------------------

# zm_program(name SOURCES patterns... USES targets...)
#
# An installed program: target <name>_tool (with _ for -), of main.c and of a static library
# <target>_parts that holds all else, so that a test can link all programs' parts together.
# The target zermelo_cli_common is what programs share: options, help, messages, pictures.
function(zm_program name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES")
    list(TRANSFORM arg_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/)
    file(GLOB sources CONFIGURE_DEPENDS ${arg_SOURCES})
    set(main ${sources})
    list(FILTER main INCLUDE REGEX "/main\\.c$")
    list(REMOVE_ITEM sources ${main})
    string(REPLACE "-" "_" target ${name}_tool)
    add_library(${target}_parts STATIC ${sources})
    target_link_libraries(${target}_parts PUBLIC zermelo_cli_common ${arg_USES})
    add_executable(${target} ${main})
    target_link_libraries(${target} PRIVATE ${target}_parts)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} ${zm_program_rpath})
    list(APPEND ZM_PROGRAMS ${target})
    set(ZM_PROGRAMS ${ZM_PROGRAMS} PARENT_SCOPE)
endfunction()
