# SPDX-License-Identifier: Apache-2.0
# Installation: libraries, headers, programs, CMake package, pkg-config files, manual.

include(CMakePackageConfigHelpers)

set(zm_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/zermelo)
set(zm_headers_left_out "")
if(NOT TARGET zermelo_plot)
    list(APPEND zm_headers_left_out PATTERN plot EXCLUDE)
endif()
if(NOT TARGET zermelo_view)
    list(APPEND zm_headers_left_out PATTERN view.h EXCLUDE)
endif()
if(NOT ZM_GDAL_FOUND)
    foreach(header geo dataset calibration_file evidence ignition weather)
        list(APPEND zm_headers_left_out PATTERN ${header}.h EXCLUDE)
    endforeach()
endif()
if(NOT ZM_DNNL_FOUND)
    list(APPEND zm_headers_left_out PATTERN learn.h EXCLUDE)
endif()

foreach(name ${ZM_LIBRARIES})
    install(TARGETS zermelo_${name} EXPORT zermelo-targets
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
            RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()
install(DIRECTORY include/zermelo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" ${zm_headers_left_out})
if(ZM_BUILD_TOOLS)
    install(TARGETS ${ZM_PROGRAMS} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# Manual pages and completions, which the programs make from their own tables of options.
if(TARGET zermelo_tool AND NOT CMAKE_CROSSCOMPILING)
    set(zm_made ${PROJECT_BINARY_DIR}/generated)
    set(zm_tool $<TARGET_FILE:zermelo_tool>)
    add_custom_command(
        OUTPUT ${zm_made}/stamp
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${zm_made}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${zm_made}/man1
        COMMAND ${zm_tool} --generate man ${zm_made}/man1
        COMMAND ${zm_tool} --generate bash > ${zm_made}/zermelo.bash
        COMMAND ${zm_tool} --generate zsh > ${zm_made}/_zermelo
        COMMAND ${zm_tool} --generate fish > ${zm_made}/zermelo.fish
        COMMAND ${CMAKE_COMMAND} -E touch ${zm_made}/stamp
        DEPENDS ${ZM_PROGRAMS}
        COMMENT "Making manual pages and completions"
        VERBATIM)
    add_custom_target(zermelo_manual ALL DEPENDS ${zm_made}/stamp)
    install(DIRECTORY ${zm_made}/man1/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${zm_made}/zermelo.bash RENAME zermelo
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${zm_made}/_zermelo DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${zm_made}/zermelo.fish
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# find_package(zermelo [COMPONENTS core io plot view fire])
install(EXPORT zermelo-targets NAMESPACE zermelo:: DESTINATION ${zm_package_dir})
configure_package_config_file(cmake/zermelo-config.cmake.in
                              ${PROJECT_BINARY_DIR}/cmake/zermelo-config.cmake
                              INSTALL_DESTINATION ${zm_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/zermelo-config-version.cmake
                                 COMPATIBILITY SameMinorVersion) # until 1.0
install(FILES ${PROJECT_BINARY_DIR}/cmake/zermelo-config.cmake
              ${PROJECT_BINARY_DIR}/cmake/zermelo-config-version.cmake
        DESTINATION ${zm_package_dir})

# pkg-config
set(zm_pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH zm_pc_to_prefix ${CMAKE_INSTALL_PREFIX}/${zm_pc_dir}
     ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" zm_pc_prefix "\${pcfiledir}/${zm_pc_to_prefix}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(zm_pc_prefix ${CMAKE_INSTALL_PREFIX})
    set(zm_pc_libdir ${CMAKE_INSTALL_LIBDIR})
else()
    set(zm_pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    set(zm_pc_includedir ${CMAKE_INSTALL_INCLUDEDIR})
else()
    set(zm_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()

set(zm_pc_parts "") # variable `parts` of the next file
# zm_pc(file "title" lib "requires" "requires.private" "libs.private")
function(zm_pc file title library requires requires_private libs_private)
    if(NOT BUILD_SHARED_LIBS) # a static library leaves its needs to the program
        list(JOIN libs_private " " libs_static)
        set(requires "${requires} ${requires_private}")
        set(requires_private "")
        set(libs_private "")
    endif()
    configure_file(${PROJECT_SOURCE_DIR}/cmake/zermelo.pc.in
                   ${PROJECT_BINARY_DIR}/cmake/${file}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/cmake/${file}.pc DESTINATION ${zm_pc_dir})
endfunction()

set(zm_thread_flags -pthread)
if(ZM_HAVE_OPENMP)
    set(zm_thread_flags ${OpenMP_C_FLAGS})
endif()
zm_pc(zermelo "${PROJECT_DESCRIPTION}" zermelo "" "" "-lm ${zm_thread_flags}")
zm_pc(zermelo-io "Array files for zermelo" zermelo_io zermelo "" "-lm")
set(zm_fire_requires "")
set(zm_fire_libs "-lm")
if(ZM_GDAL_FOUND)
    set(zm_fire_requires "gdal jansson")
endif()
if(ZM_DNNL_FOUND)
    set(zm_fire_libs "-ldnnl -lm")
endif()
string(REPLACE ";" " " zm_pc_parts "${ZM_FIRE_PARTS}")
zm_pc(zermelo-fire "Wildfires for zermelo" zermelo_fire "zermelo-io zermelo"
      "${zm_fire_requires}" "${zm_fire_libs}")
set(zm_pc_parts "")
if(TARGET zermelo_plot)
    zm_pc(zermelo-plot "Pictures of arrival-time fields" zermelo_plot zermelo
          "cairo pangocairo" "-lm")
endif()
if(TARGET zermelo_view)
    zm_pc(zermelo-view "Pages that show results of zermelo" zermelo_view zermelo "zlib" "-lm")
endif()
