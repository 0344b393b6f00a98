# That programs which include gimbal compile without a warning: under each language, compiler, architecture and way of linking in
# some row, each row by the cheapest step that shows it. And libraries of different versions in one process.
set(warnings -Wall -Wextra -Wshadow -Wconversion -Werror) # gimbal by -I; CCCL's headers are the system's
find_program(GIMBAL_CLANG clang++ DOC "clang, to compile the programs of tests/compiles with, too")

# For poisoned_lookup: functions of every name that the headers call.
set(poisoned_names ${CMAKE_CURRENT_BINARY_DIR}/poisoned)
file(MAKE_DIRECTORY ${poisoned_names})
execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/poisoned_names.py ${poisoned_names}/poisoned_names.h
                COMMAND_ERROR_IS_FATAL ANY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS poisoned_names.py)

if(GIMBAL_TEST_GPU)
  list(JOIN warnings "," host_warnings)
  set(nvcc_warnings -Xcompiler=${host_warnings} "SHELL:-Werror all-warnings") # what nvcc makes is not pedantic

  # compiles(name source standard architectures [options...])
  function(compiles name source standard architectures)
    add_library(compiles_${name} OBJECT ${source})
    target_link_libraries(compiles_${name} PRIVATE gimbal_test_base)
    # The standard twice: a CMake older than nvcc knows no option for a newer standard, and names the default where none is set.
    target_compile_options(compiles_${name} PRIVATE -std=c++${standard} -O0 ${nvcc_warnings} ${ARGN})
    set_target_properties(
      compiles_${name} PROPERTIES CUDA_STANDARD ${standard} CUDA_EXTENSIONS OFF CUDA_ARCHITECTURES "${architectures}")
  endfunction()

  # All the way, the assembler's warnings among them: for nvcc's architecture where none is named, and for this one.
  compiles(device_wide compiles/device_wide.cu 17 OFF ${fast_compile_options} -Xcompiler=-fno-exceptions
           -Wno-deprecated-gpu-targets)
  compiles(ten_calls ${PROJECT_SOURCE_DIR}/perf/compile_time/ten_calls.cu 17 90-real ${fast_compile_options})
  foreach(namespace gimbal cub)
    compiles(cub_surface_${namespace} compiles/cub_surface.cu 17 90-real ${front_end_only} -DCALLS=${namespace})
  endforeach()
  if(GIMBAL_CLANG)
    set(by_clang -ccbin=${GIMBAL_CLANG})
  endif()
  compiles(policy compiles/policy.cu 20 120-real ${front_end_only} ${by_clang} -rdc=true)
  if(GIMBAL_NEWER_CCCL_INCLUDE_DIR) # which deprecates more
    compiles(policy_newer_cccl compiles/policy.cu 17 90-real ${front_end_only})
    target_include_directories(compiles_policy_newer_cccl BEFORE PRIVATE ${GIMBAL_NEWER_CCCL_INCLUDE_DIR})
  endif()
  compiles(macros compiles/macros.cu 17 90-real ${front_end_only})
  compiles(poisoned_lookup compiles/poisoned_lookup.cu 17 90-virtual ${front_end_only})
  target_include_directories(compiles_poisoned_lookup PRIVATE ${poisoned_names})
  # Runs where it is built.
  add_executable(monoids_on_host compiles/monoids_on_host.cu)
  target_link_libraries(monoids_on_host PRIVATE gimbal_test_base)
  target_compile_options(monoids_on_host PRIVATE -O0 ${nvcc_warnings})
  add_custom_command(TARGET monoids_on_host POST_BUILD COMMAND monoids_on_host)
  # What the assembler says of launch bounds, for each kind of multiprocessor.
  compiles(launch_bounds compiles/launch_bounds.cu 17 "75;80;86;89;90;100;120")
else()
  # Tests, so that what a newer compiler warns of stops nothing else.
  function(compiles name compiler source standard)
    add_test(
      NAME compiles_${name}
      COMMAND ${compiler} -std=c++${standard} -x c++ -O0 ${warnings} -Wpedantic ${ARGN}
              -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP -isystem ${gimbal_cccl_include_dir}
              -I ${PROJECT_SOURCE_DIR}/include -I ${PROJECT_SOURCE_DIR}/adaptors -I ${PROJECT_SOURCE_DIR}/backend
              ${CMAKE_CURRENT_SOURCE_DIR}/compiles/${source}.cu)
  endfunction()
  set(instantiate -S -o /dev/null) # with -fsyntax-only g++ leaves templates alone
  compiles(device_wide "${CMAKE_CXX_COMPILER}" device_wide 17 ${instantiate} -fno-exceptions)
  compiles(policy "${CMAKE_CXX_COMPILER}" policy 23 ${instantiate})
  if(GIMBAL_NEWER_CCCL_INCLUDE_DIR) # which deprecates more
    compiles(policy_newer_cccl "${CMAKE_CXX_COMPILER}" policy 17 ${instantiate} -isystem ${GIMBAL_NEWER_CCCL_INCLUDE_DIR})
  endif()
  compiles(macros "${CMAKE_CXX_COMPILER}" macros 17 -fsyntax-only)
  compiles(poisoned_lookup "${CMAKE_CXX_COMPILER}" poisoned_lookup 17 ${instantiate} -I ${poisoned_names})
  if(GIMBAL_CLANG)
    compiles(poisoned_lookup_by_clang "${GIMBAL_CLANG}" poisoned_lookup 17 -fsyntax-only -I ${poisoned_names})
    compiles(by_clang "${GIMBAL_CLANG}" policy 20 -fsyntax-only)
  endif()
endif()

# The libraries of versions.cu.
file(READ ${PROJECT_SOURCE_DIR}/backend/gimbal/version.h version)
math(EXPR next_patch "${gimbal_VERSION_PATCH} + 1")
string(REGEX REPLACE "(VERSION_PATCH) [0-9]+" "\\1 ${next_patch}" version "${version}")
file(CONFIGURE OUTPUT next_version/gimbal/version.h CONTENT "${version}" @ONLY)

# library_of_version(name mark): a shared library whose code has this mark
function(library_of_version name mark)
  add_library(versions_${name} SHARED versions/library.cu)
  target_link_libraries(versions_${name} PRIVATE gimbal_test_base)
  target_compile_options(versions_${name} PRIVATE -O0)
  target_compile_definitions(versions_${name} PRIVATE MARK=${mark})
  # Where versions.cu finds them, and by name: of two files with one name inside, one alone would be loaded.
  set_target_properties(
    versions_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} NO_SONAME ON)
  add_dependencies(test_versions versions_${name})
endfunction()

if(NOT GIMBAL_FAST_COMPILE)
  if(NOT GIMBAL_TEST_GPU)
    set_source_files_properties(versions/library.cu PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c++")
  endif()
  target_link_libraries(test_versions PRIVATE ${CMAKE_DL_LIBS})
  library_of_version(first 1)
  add_custom_command(
    TARGET versions_first POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:versions_first> ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/libversions_same.so)
  library_of_version(next 2)
  target_include_directories(versions_next BEFORE PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/next_version)
  library_of_version(tagged 3)
  target_compile_definitions(versions_tagged PRIVATE GIMBAL_ABI_TAG=of_a_library)
  library_of_version(wrapped 4)
  target_compile_definitions(versions_wrapped PRIVATE THRUST_CUB_WRAPPED_NAMESPACE=of_a_library)
  if(GIMBAL_TEST_GPU)
    library_of_version(other_architecture 5)
    set_target_properties(versions_other_architecture PROPERTIES CUDA_ARCHITECTURES 80-virtual)
    target_compile_definitions(test_versions PRIVATE GIMBAL_TEST_ARCHITECTURES)
  endif()
endif()
