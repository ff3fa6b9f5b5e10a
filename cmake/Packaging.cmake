# Installation: libburn with its headers and CMake package (component runtime), libburn-compiler and the tools
# (component compiler). The archive of CPack holds the first, for machines without LLVM.
include(CMakePackageConfigHelpers)

set(configDir ${CMAKE_INSTALL_LIBDIR}/cmake/burn)
install(TARGETS burn EXPORT burnTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT runtime
)
foreach(part IN ITEMS runtime frontend)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${part}/include)
    install(DIRECTORY ${part}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT runtime)
  endif()
endforeach()
install(EXPORT burnTargets NAMESPACE burn:: DESTINATION ${configDir} COMPONENT runtime)
configure_package_config_file(cmake/burnConfig.cmake.in ${PROJECT_BINARY_DIR}/burnConfig.cmake
  INSTALL_DESTINATION ${configDir}
)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/burnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/burnConfig.cmake ${PROJECT_BINARY_DIR}/burnConfigVersion.cmake
  DESTINATION ${configDir} COMPONENT runtime
)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime OPTIONAL)

if(TARGET burn-compiler)
  # Debian keeps libMLIR where the loader does not look by itself.
  set_target_properties(burn-compiler PROPERTIES INSTALL_RPATH "$ORIGIN;${LLVM_LIBRARY_DIR}")
  install(TARGETS burn-compiler LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT compiler)
endif()
foreach(tool IN ITEMS burn-opt burn-run burn-compile burn-cache burn-bench burn-fuzz)
  if(TARGET ${tool})
    set_target_properties(${tool} PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};${LLVM_LIBRARY_DIR}")
    install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT compiler)
  endif()
endforeach()

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME libburn)
set(CPACK_PACKAGE_VENDOR "the burn-mlir authors")
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL runtime)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
include(CPack)
