# SPDX-License-Identifier: Apache-2.0
# How a library is made of module directories.
#
# Every library is compiled once, as position-independent objects, and linked twice: as
# the library that is installed (zermelo, zermelo_io, ...), from which only ZM_API symbols
# leave, and as a static archive (zermelo_static, zermelo_io_static, ...) for tests and
# benchmarks that look inside.

include(CheckCSourceCompiles)

set(ZM_LIBRARIES "") # names given to zm_library that were built
set(ZM_PROGRAMS "")  # targets that zm_program made

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
    foreach(isa avx2 avx512)
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

# zm_library(name MODULES dirs... [USES names...] [LINK targets...])
# Target zermelo for the name core, else zermelo_<name>; exported as zermelo::<name>.
function(zm_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "MODULES;USES;LINK")
    set(sources "")
    foreach(module ${arg_MODULES})
        file(GLOB found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${module}/*.c)
        list(APPEND sources ${found})
    endforeach()
    if(NOT sources)
        message(STATUS "zermelo: no sources of ${name}: no zermelo_${name}")
        return()
    endif()
    set(target zermelo_${name})
    if(name STREQUAL "core")
        set(target zermelo)
        list(APPEND arg_LINK ${zm_thread_target} m)
    endif()
    zm_choose_kernels(sources definitions)
    if(name STREQUAL "core" AND ZM_HAVE_OPENMP)
        list(APPEND definitions ZM_WITH_OPENMP)
    endif()

    add_library(${target}_objects OBJECT ${sources})
    target_include_directories(${target}_objects PRIVATE ${PROJECT_SOURCE_DIR}/include
                                                         ${PROJECT_SOURCE_DIR}/src)
    target_compile_definitions(${target}_objects PRIVATE ${definitions})
    target_link_libraries(${target}_objects PRIVATE ${arg_LINK})

    add_library(${target} $<TARGET_OBJECTS:${target}_objects>)
    add_library(zermelo::${name} ALIAS ${target})
    target_include_directories(
        ${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${target} PRIVATE ${arg_LINK})
    set(soversion ${PROJECT_VERSION_MAJOR})
    if(soversion EQUAL 0) # before 1.0 every minor version may break the ABI
        set(soversion 0.${PROJECT_VERSION_MINOR})
    endif()
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} LINKER_LANGUAGE C
                          VERSION ${PROJECT_VERSION} SOVERSION ${soversion})

    if(BUILD_SHARED_LIBS)
        add_library(${target}_static STATIC $<TARGET_OBJECTS:${target}_objects>)
        set_target_properties(${target}_static PROPERTIES LINKER_LANGUAGE C)
        target_link_libraries(${target}_static PUBLIC ${arg_LINK})
    else()
        add_library(${target}_static INTERFACE)
        target_link_libraries(${target}_static INTERFACE ${target})
    endif()
    target_include_directories(${target}_static INTERFACE ${PROJECT_SOURCE_DIR}/include
                                                          ${PROJECT_SOURCE_DIR}/src)
    target_compile_definitions(${target}_static INTERFACE ${definitions})

    foreach(used ${arg_USES})
        string(REPLACE "zermelo_core" "zermelo" used zermelo_${used})
        if(NOT TARGET ${used}) # a module that has no sources
            continue()
        endif()
        target_link_libraries(${target} PUBLIC ${used})
        target_link_libraries(${target}_static INTERFACE ${used}_static)
        if(BUILD_SHARED_LIBS)
            # Helpers of src/core (messages, allocation) are hidden in libzermelo.so: take
            # a hidden copy of the few objects that are needed.
            target_link_libraries(${target} PRIVATE ${used}_static)
            if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
                target_link_options(${target} PRIVATE LINKER:--exclude-libs,ALL)
            endif()
        endif()
    endforeach()
    list(APPEND ZM_LIBRARIES ${name})
    set(ZM_LIBRARIES ${ZM_LIBRARIES} PARENT_SCOPE)
endfunction()

# What all programs share: options, help, messages, files, pictures.
file(GLOB zm_cli_common CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/common/*.c)

# zm_program(name SOURCES patterns... [USES names...]): an installed program; it sees public
# headers and src/core.
function(zm_program name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES")
    if(NOT TARGET zermelo_cli_common AND zm_cli_common)
        add_library(zermelo_cli_common STATIC ${zm_cli_common})
        target_include_directories(zermelo_cli_common PUBLIC ${PROJECT_SOURCE_DIR}/cli)
        target_link_libraries(zermelo_cli_common PUBLIC zermelo::io zermelo::core m)
        # Plumbing of src/core, which libzermelo hides.
        target_link_libraries(zermelo_cli_common PUBLIC zermelo_static)
        if(TARGET zermelo_plot)
            target_link_libraries(zermelo_cli_common PUBLIC zermelo::plot)
            target_compile_definitions(zermelo_cli_common PUBLIC ZM_WITH_CAIRO)
        endif()
    endif()
    if(NOT TARGET zermelo_cli_common) # the Python package's source distribution
        return()
    endif()
    list(TRANSFORM arg_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/)
    file(GLOB sources CONFIGURE_DEPENDS ${arg_SOURCES})
    string(REPLACE "-" "_" target ${name}_tool)
    add_executable(${target} ${sources})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name})
    target_link_libraries(${target} PRIVATE zermelo_cli_common)
    foreach(used ${arg_USES})
        target_link_libraries(${target} PRIVATE zermelo::${used})
    endforeach()
    list(APPEND ZM_PROGRAMS ${target})
    set(ZM_PROGRAMS ${ZM_PROGRAMS} PARENT_SCOPE)
endfunction()
