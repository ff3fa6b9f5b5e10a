# What the folders of this project build their targets with.
#
#   burn_base      usage requirements of every target
#   burn_mlir      the same for code that sees MLIR: links the LLVM and MLIR shared libraries, no exceptions
#   burn_pch       the one precompiled header of that code
#   burn_sources   the sources below a folder; a new file needs no entry in any list
#   burn_tablegen, burn_library, burn_tool, burn_uses

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Objects are shared between clones; a precompiled header is compared by its .sum file (see burn_pch).
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE}
  )
endif()

include_directories(
  ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}
  ${PROJECT_SOURCE_DIR}/runtime/include ${PROJECT_SOURCE_DIR}/frontend/include
)

add_library(burn_base INTERFACE)
# No contraction anywhere: a host evaluation rounds each operation as it is written.
target_compile_options(burn_base INTERFACE
  -Wall -Wextra -Wno-unused-parameter -ffp-contract=off
)
if(BURN_SANITIZER)
  target_compile_options(burn_base INTERFACE
    -fsanitize=${BURN_SANITIZER} -fno-omit-frame-pointer -fno-sanitize-recover=all
  )
  target_link_options(burn_base INTERFACE -fsanitize=${BURN_SANITIZER})
endif()

# libMLIR and libLLVM are the only copies in any process: two copies mean two registries. With BURN_STATIC_LLVM a
# program has a copy of its own and libburn-compiler another, which its version script hides.
add_library(burn_mlir INTERFACE)
target_link_libraries(burn_mlir INTERFACE burn_base)
if(BURN_STATIC_LLVM)
  file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
  list(FILTER archives EXCLUDE REGEX "CAPI")
  # Whoever sets up all targets sets up the chosen ones: the functions of the others are one that is called in any case.
  set(otherTargets)
  if(BURN_LLVM_TARGETS)
    list(GET BURN_LLVM_TARGETS 0 firstTarget)
    foreach(target IN LISTS LLVM_TARGETS_TO_BUILD)
      if(NOT target IN_LIST BURN_LLVM_TARGETS)
        list(FILTER archives EXCLUDE REGEX "/libLLVM${target}[A-Z]")
        foreach(part IN ITEMS TargetInfo Target TargetMC AsmPrinter AsmParser Disassembler)
          list(APPEND otherTargets -Wl,--defsym=LLVMInitialize${target}${part}=LLVMInitialize${firstTarget}TargetInfo)
        endforeach()
      endif()
    endforeach()
  endif()
  target_link_libraries(burn_mlir INTERFACE -Wl,--start-group ${archives} -Wl,--end-group ZLIB::ZLIB zstd)
  # lld's link-time optimiser names Polly, which Debian's archives lack; no bitcode is ever given to it.
  target_link_options(burn_mlir INTERFACE
    -Wl,--gc-sections -Wl,--icf=all -static-libstdc++ -static-libgcc -Wl,--defsym=_Z18getPollyPluginInfov=0 ${otherTargets}
  )
  set(BURN_LLVM_LIBRARY burn_mlir)
else()
  target_link_libraries(burn_mlir INTERFACE MLIR LLVM)
  set(BURN_LLVM_LIBRARY LLVM)
endif()
target_include_directories(burn_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})

# CMake also names the header that the precompiled one was made from, by a path that differs from clone to clone.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang <PCH_FILE>)
endif()

set(BURN_PCH_HEADERS
  <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/IR/BuiltinOps.h>
  <mlir/IR/OpImplementation.h>
  <mlir/IR/PatternMatch.h>
  <mlir/Pass/PassManager.h>
  <mlir/Transforms/DialectConversion.h>
  <mlir/Transforms/GreedyPatternRewriteDriver.h>
  <dialects/Burn/Burn.h>
)
# What the dialect's header is made from, and what must be generated before it can be read.
file(GLOB burnPchSources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/dialects/Burn/*.td ${PROJECT_SOURCE_DIR}/dialects/Burn/*.h
  ${PROJECT_SOURCE_DIR}/runtime/Core/*.h ${PROJECT_SOURCE_DIR}/runtime/Core/OpRules/*.h
  ${PROJECT_SOURCE_DIR}/runtime/include/burn/*.h ${PROJECT_SOURCE_DIR}/scripts/gen-op-table.py
)
set(BURN_PCH_GENERATED BurnDialectGen BurnOpsGen BurnAttributesGen BurnInterfacesGen BurnOpTableGen)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${burnPchSources})
set(burnPchDigest)
foreach(file IN LISTS burnPchSources)
  file(SHA256 ${file} digest)
  string(SHA256 burnPchDigest "${burnPchDigest}${digest}")
endforeach()

# burn_add_pch(<name> LINK <target> HEADERS <header>... [OPTIONS <compile option>...] [DIGEST <digest>]): a precompiled
# header whose content depends on the installed packages, the options and the files behind the digest alone, which is
# what its .sum file says to ccache.
function(burn_add_pch name)
  cmake_parse_arguments(ARG "" "DIGEST" "LINK;HEADERS;OPTIONS" ${ARGN})
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/${name}.cpp CONTENT "")
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  target_compile_options(${name} PRIVATE -Xclang -fno-pch-timestamp ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  file(GENERATE
    OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx.pch.sum
    CONTENT "${LLVM_PACKAGE_VERSION};${CMAKE_CXX_COMPILER_VERSION};${CMAKE_BUILD_TYPE};${CMAKE_CXX_FLAGS};${BURN_SANITIZER};${ARG_OPTIONS};${ARG_HEADERS};${ARG_DIGEST}\n"
  )
endfunction()
function(burn_add_mlir_pch name)
  burn_add_pch(${name} LINK burn_mlir DIGEST ${burnPchDigest} ${ARGN})
  add_dependencies(${name} ${BURN_PCH_GENERATED})
endfunction()
if(BURN_BUILD_COMPILER)
  burn_add_mlir_pch(burn_pch HEADERS ${BURN_PCH_HEADERS} OPTIONS -fno-exceptions)
endif()

# burn_reuse_pch(<executable> <pch>): a precompiled header serves one position-independence mode alone.
function(burn_reuse_pch name pch)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  target_precompile_headers(${name} REUSE_FROM ${pch})
endfunction()

# burn_sources(<variable> <folder>...): every .cpp below the folders, relative to the current one.
function(burn_sources variable)
  set(patterns)
  foreach(folder IN LISTS ARGN)
    file(REAL_PATH ${folder} path)
    list(APPEND patterns ${path}/*.cpp)
  endforeach()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${patterns})
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# burn_subfolders(<variable> <folder>): the names of the folders directly below a folder.
function(burn_subfolders variable folder)
  file(GLOB entries RELATIVE ${folder} CONFIGURE_DEPENDS LIST_DIRECTORIES true ${folder}/*)
  set(folders)
  foreach(entry IN LISTS entries)
    if(IS_DIRECTORY ${folder}/${entry})
      list(APPEND folders ${entry})
    endif()
  endforeach()
  set(${variable} ${folders} PARENT_SCOPE)
endfunction()

# burn_uses(<variable> <regex> <file>...): whether one of the files includes a header that matches.
function(burn_uses variable regex)
  set(${variable} FALSE PARENT_SCOPE)
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(STRINGS ${file} found REGEX "^#include [\"<]${regex}")
    if(found)
      set(${variable} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# burn_tablegen(<target> <file.td> <out> "<flags>" [<out> "<flags>"]...)
function(burn_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  # The generators look up includes in the folder's include directories.
  include_directories(SYSTEM ${MLIR_INCLUDE_DIRS})
  while(ARGN)
    list(POP_FRONT ARGN out flags)
    separate_arguments(flags)
    mlir_tablegen(${out} ${flags})
  endwhile()
  add_custom_target(${target} DEPENDS ${TABLEGEN_OUTPUT})
endfunction()

# burn_library(<name> SOURCES ... [GENERATED <tablegen targets>] [LINK ...]): a static library of MLIR code.
function(burn_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;GENERATED;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC burn_mlir ${ARG_LINK})
  if(ARG_GENERATED)
    add_dependencies(${name} ${ARG_GENERATED})
  endif()
  target_compile_options(${name} PRIVATE -fno-exceptions)
  target_precompile_headers(${name} REUSE_FROM burn_pch)
endfunction()

# burn_tool(<name> SOURCES ... [LINK ...]): an executable in build/bin. One that includes MLIR links the passes, any
# other links libburn.
function(burn_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  burn_uses(usesMlir "(mlir|llvm|dialects|passes|tools/Registration|test/unit/compiler)" ${ARG_SOURCES})
  if(usesMlir)
    if(NOT TARGET BurnRegistration)
      return()
    endif()
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE BurnRegistration ${ARG_LINK})
    target_compile_options(${name} PRIVATE -fno-exceptions)
    burn_reuse_pch(${name} burn_pch)
  else()
    if(NOT TARGET burn)
      return()
    endif()
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE burn burn_core fmt::fmt-header-only ${CMAKE_DL_LIBS} ${ARG_LINK})
    # Loaded on the first cache miss, never linked.
    if(TARGET burn-compiler)
      add_dependencies(${name} burn-compiler)
    endif()
  endif()
endfunction()
