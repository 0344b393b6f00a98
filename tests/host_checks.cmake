# Checks beside the tests themselves, on the host executor: sanitizer builds, mutation tests, every header by itself, the
# house rules, and programs as users build them.

add_library(separate_executor OBJECT separate_executor.cpp)
target_link_libraries(separate_executor PRIVATE gimbal_test_base)
target_compile_definitions(separate_executor PRIVATE GIMBAL_SEPARATE_EXECUTOR)
target_compile_options(separate_executor PRIVATE -O1)

add_custom_target(sanitized_tests)

# The cases that ThreadSanitizer sees: of those that differ in a type alone, three types, as what waits for what does not
# depend on it; kernels in shapes with many small tiles, not in the default ones; and not those about sums that are the same bits
# in every run. AddressSanitizer runs all.
set(not_racing "~\"*default tuning\"~\"*the same bits*\"")
set(racing_cases "~\"* - *\"${not_racing},\"* - double\"${not_racing},\"* - test::bytes3\",\"* - unsigned\"")

set(flags_for_sanitizers -g1 -fno-omit-frame-pointer)
# An index beyond an inner array is in bounds for AddressSanitizer, but not for the optimiser. Uses after the scope take a
# seventh to a third of the compile time.
set(flags_for_address -fsanitize=address ${flags_for_sanitizers} -fsanitize=bounds -fno-sanitize-recover=bounds
                      -fno-sanitize-address-use-after-scope)
set(flags_for_thread -fsanitize=thread ${flags_for_sanitizers})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND flags_for_thread --param=tsan-instrument-func-entry-exit=0) # the calls that led to a race: in reports alone
endif()
gimbal_precompiled_headers(precompiled_address -Og ${flags_for_address})
gimbal_precompiled_headers(precompiled_thread -Og ${flags_for_thread})

# sanitized_program(name source sanitizer [libraries...])
function(sanitized_program name source sanitizer)
  gimbal_program(${name} ${source} -Og ${ARGN}) # half of the compile time of -O1 with AddressSanitizer
  target_precompile_headers(${name} REUSE_FROM precompiled_${sanitizer})
  target_compile_options(${name} PRIVATE ${flags_for_${sanitizer}})
  target_link_options(${name} PRIVATE ${flags_for_${sanitizer}})
  if(sanitizer STREQUAL thread)
    target_compile_definitions(${name} PRIVATE GIMBAL_SEPARATE_EXECUTOR)
    target_link_libraries(${name} PRIVATE separate_executor)
  endif()
  add_dependencies(sanitized_tests ${name})
endfunction()

# With ThreadSanitizer, which finds what waits wrongly, a share has every fifth, and those where a change touched the test or a header
# that it comes to include.
set(racing_tests ${GIMBAL_SANITIZED_TESTS})
list(REMOVE_ITEM racing_tests ${tests_without_races})
# Kernels whose blocks wait for lower ones alone: on a device that has room for two at a time.
set(tests_of_look_back scan segmented_scan partition reduce_by_key)

if(GIMBAL_TEST_SANITIZE)
  list(JOIN racing_tests "|" racing_names)
  list(FILTER tests_with_files INCLUDE REGEX "^(${racing_names}):")
  gimbal_share(racing_tests "--includes;5" "tests with ThreadSanitizer" ${tests_with_files})
  foreach(name IN LISTS GIMBAL_SANITIZED_TESTS)
    if(name IN_LIST tests_with_addresses)
      sanitized_program(test_${name}_asan ${source_of_${name}} address test_main)
      if(NOT name IN_LIST tests_in_share)
        target_compile_definitions(test_${name}_asan PRIVATE GIMBAL_FEW_TYPES)
      endif()
      add_test(NAME ${name}_asan COMMAND test_${name}_asan)
      # Words lie in the call's storage, of the size that it asks for, as while a stream is captured.
      set_tests_properties(${name}_asan PROPERTIES LABELS sanitize COST 10 ENVIRONMENT GIMBAL_STREAMS_LAST=0)
      if(name IN_LIST tests_of_look_back)
        add_test(NAME ${name}_two_blocks COMMAND test_${name}_asan)
        set_tests_properties(
          ${name}_two_blocks PROPERTIES LABELS sanitize COST 10 ENVIRONMENT "GIMBAL_RESIDENT_BLOCKS=2;GIMBAL_STREAMS_LAST=0")
      endif()
    endif()
    if(name IN_LIST racing_tests)
      sanitized_program(test_${name}_tsan ${source_of_${name}} thread test_main)
      add_test(NAME ${name}_tsan COMMAND test_${name}_tsan "${racing_cases}")
      # Each barrier takes ThreadSanitizer a time that grows with the threads there are: half of the eight blocks.
      set_tests_properties(${name}_tsan PROPERTIES LABELS sanitize COST 10 ENVIRONMENT GIMBAL_RESIDENT_BLOCKS=4)
    endif()
  endforeach()

  # ThreadSanitizer on the host executor reports each kind of race between fibers, and nothing where there is none.
  sanitized_program(simt_races mutations/simt_races.cu thread)
  add_test(NAME races_none COMMAND simt_races none)
  set_tests_properties(races_none PROPERTIES LABELS sanitize)
  foreach(race missing_barrier missing_reuse_barrier flag_before_value missing_wait relaxed_store relaxed_load
               missing_sync_warp shuffle_as_barrier ballot_as_barrier missing_phase_wait early_stage_release)
    add_test(NAME races_${race} COMMAND simt_races ${race})
    set_tests_properties(
      races_${race} PROPERTIES LABELS sanitize PASS_REGULAR_EXPRESSION "WARNING: ThreadSanitizer: data race")
  endforeach()
endif()

# Mutation tests: one test for each check and way of running it; all its mutations must be caught. A share has checks whose file
# or whose mutated headers a change touched, and some others. house_rules.py sees that the text of every mutation still exists.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS mutations.py mutation_table.py share.py)
execute_process(
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/mutations.py --list
  OUTPUT_VARIABLE mutation_groups OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" mutation_groups "${mutation_groups}")
set(checks_with_files ${mutation_groups})
list(TRANSFORM checks_with_files REPLACE " .*" "")
gimbal_share(checks_in_share 9 "mutation tests" ${checks_with_files})
set(precompiled ${CMAKE_CURRENT_BINARY_DIR}/mutations)
set(run_mutations ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/mutations.py --cccl ${gimbal_cccl_include_dir})
add_custom_command(
  OUTPUT ${precompiled}/precompiled.h
  COMMAND ${run_mutations} --compiler ${CMAKE_CXX_COMPILER} --precompile ${precompiled}
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/mutations.py ${CMAKE_CURRENT_SOURCE_DIR}/mutations/precompiled.h
  COMMENT "Precompiling headers for the mutation tests"
  VERBATIM)
add_custom_target(precompiled_for_mutations ALL DEPENDS ${precompiled}/precompiled.h)
foreach(group IN LISTS mutation_groups)
  string(REPLACE " " ";" words "${group}")
  list(POP_FRONT words check)
  string(REGEX REPLACE ":.*" "" check ${check})
  if(NOT check IN_LIST checks_in_share)
    continue()
  endif()
  list(LENGTH words mutation_count) # the longest tests start first
  add_test(
    NAME mutations_${check}
    COMMAND ${run_mutations} --compiler "${CMAKE_CXX_COMPILER_LAUNCHER} ${CMAKE_CXX_COMPILER}" --executor
            $<TARGET_OBJECTS:separate_executor> --precompiled ${precompiled} ${words})
  set_tests_properties(mutations_${check} PROPERTIES LABELS mutations TIMEOUT 2700 COST ${mutation_count})
endforeach()

# The exact cost of each call against its budget. Compiled as for ThreadSanitizer, linked with counting functions in its
# place (cost/count.cpp), which GCC's form of the sanitizer calls.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  gimbal_program(cost "cost/cost.cu;cost/count.cpp" -O1 separate_executor)
  target_compile_definitions(cost PRIVATE GIMBAL_INSTRUMENT GIMBAL_SEPARATE_EXECUTOR)
  set_source_files_properties(
    cost/cost.cu PROPERTIES COMPILE_OPTIONS "-x;c++;-fsanitize=thread;--param=tsan-instrument-func-entry-exit=0")
  # The namespace that simt/config.h makes up, as it is mangled.
  file(STRINGS ${gimbal_cccl_include_dir}/thrust/version.h cccl_version REGEX "define THRUST_VERSION [0-9]+")
  string(REGEX REPLACE ".*THRUST_VERSION ([0-9]+).*" "v.${gimbal_VERSION}.CCCL.\\1.host" namespace "${cccl_version}")
  string(REPLACE "." "_" namespace ${namespace})
  string(LENGTH ${namespace} length)
  set(executor _ZN6gimbal${length}${namespace}4simt8executor)
  target_compile_definitions(cost PRIVATE EXECUTOR_NAME="${executor}")
  foreach(symbol memset memcpy memmove aligned_alloc free ${executor}10sync_blockERNS2_13thread_recordE
                 ${executor}6arriveERNS2_13thread_recordERNS2_13phase_barrierEj
                 ${executor}14complete_bytesERNS2_13thread_recordERNS2_13phase_barrierEj
                 ${executor}15warp_collectiveERNS2_13thread_recordERNS2_9lane_callE
                 ${executor}11fetch_aheadERNS2_13thread_recordEPKvm)
    target_link_options(cost PRIVATE "LINKER:--wrap=${symbol}")
  endforeach()
  add_test(NAME cost COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/cost.py $<TARGET_FILE:cost>)
  set_tests_properties(cost PROPERTIES COST 10)
  # The files and lines that calls run through, by g++'s coverage.
  add_test(
    NAME reach
    COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/reach.py --compiler ${CMAKE_CXX_COMPILER} --cccl
            "${gimbal_cccl_include_dir}")
  set_tests_properties(reach PROPERTIES COST 10)
endif()

# Every header compiles alone: by itself, or as the first thing that another includes, which is less to compile; those of the
# backend, which users do not include themselves, after others' headers. Those of simt/cuda and process_peers.h need nvcc, nccl_*
# NCCL.
set(headers_to_check)
set(backend_headers_to_check)
set(public_headers)
set(first_includes)
foreach(root include adaptors backend)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/${root} ${PROJECT_SOURCE_DIR}/${root}/*.h
       ${PROJECT_SOURCE_DIR}/${root}/*.cuh)
  list(FILTER headers EXCLUDE REGEX "/simt/cuda/|/(nccl_[^/]*|process_peers.h)$")
  foreach(header IN LISTS headers)
    if(root STREQUAL backend)
      list(APPEND backend_headers_to_check ${header})
    else()
      list(APPEND headers_to_check ${header})
      list(APPEND public_headers ${header})
    endif()
    file(STRINGS ${PROJECT_SOURCE_DIR}/${root}/${header} first_include REGEX "^#include" LIMIT_COUNT 1)
    if(first_include MATCHES "<(.*)>")
      list(APPEND first_includes ${CMAKE_MATCH_1})
    endif()
  endforeach()
endforeach()
list(REMOVE_ITEM headers_to_check ${first_includes})
list(REMOVE_ITEM backend_headers_to_check ${first_includes})
foreach(headers headers backend_headers)
  set(headers_with_files)
  foreach(header IN LISTS ${headers}_to_check)
    list(APPEND headers_with_files ${header}:include/${header}:adaptors/${header}:backend/${header})
  endforeach()
  string(REPLACE "backend_" "the backend's " what ${headers})
  gimbal_share(${headers}_to_check 4 "${what} by themselves" ${headers_with_files})
endforeach()
foreach(headers headers backend_headers)
  set(header_checks)
  foreach(header IN LISTS ${headers}_to_check)
    string(MAKE_C_IDENTIFIER ${header} id)
    set(check ${CMAKE_CURRENT_BINARY_DIR}/headers/${id}.cpp)
    file(CONFIGURE OUTPUT ${check} CONTENT "#include <${header}>\n#include <${header}>\n")
    list(APPEND header_checks ${check})
  endforeach()
  add_library(${headers}_alone OBJECT ${header_checks})
  target_link_libraries(${headers}_alone PRIVATE gimbal_test_base)
  target_compile_options(${headers}_alone PRIVATE -O0)
endforeach()
target_precompile_headers(backend_headers_alone PRIVATE mutations/precompiled.h)

# With newer CCCL headers no user's compiler says that something is deprecated, and that gimbal uses it.
if(GIMBAL_NEWER_CCCL_INCLUDE_DIR)
  list(TRANSFORM public_headers REPLACE "(.+)" "#include <\\1>")
  list(JOIN public_headers "\n" public_headers)
  set(check ${CMAKE_CURRENT_BINARY_DIR}/headers/public.cpp)
  file(CONFIGURE OUTPUT ${check} CONTENT "${public_headers}\n")
  add_library(headers_newer_cccl OBJECT ${check})
  target_link_libraries(headers_newer_cccl PRIVATE gimbal_test_base)
  target_include_directories(headers_newer_cccl BEFORE PRIVATE ${GIMBAL_NEWER_CCCL_INCLUDE_DIR})
  target_compile_options(headers_newer_cccl PRIVATE -O0 -Werror=deprecated-declarations)
endif()

# The plan of the comparison with stock, and the programs that run it and read its records.
add_executable(perf_list ${PROJECT_SOURCE_DIR}/perf/compare/list.cpp ${PROJECT_SOURCE_DIR}/perf/compare/matrix.cpp
                         ${PROJECT_SOURCE_DIR}/perf/compare/plan.cpp ${PROJECT_SOURCE_DIR}/perf/compare/record.cpp)
target_compile_features(perf_list PRIVATE cxx_std_17)
target_compile_options(perf_list PRIVATE -O1 -Wall -Wextra)
add_test(NAME bench COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/perf/test_bench.py --list $<TARGET_FILE:perf_list>)

add_test(NAME house_rules COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/house_rules.py)
add_test(
  NAME signatures
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/signatures.py ${gimbal_cccl_include_dir} ${GIMBAL_NEWER_CCCL_INCLUDE_DIR}
          ${GIMBAL_OLDER_CCCL_INCLUDE_DIR})
add_test(
  NAME distributed_names
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/distributed/distributed_names.py ${gimbal_cccl_include_dir}
          ${GIMBAL_NEWER_CCCL_INCLUDE_DIR} -- ${CMAKE_CXX_COMPILER} -std=c++17 -fsyntax-only
          -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP -I ${gimbal_cccl_include_dir} -I ${PROJECT_SOURCE_DIR}/include
          -I ${PROJECT_SOURCE_DIR}/adaptors -I ${PROJECT_SOURCE_DIR}/backend)
# CUB's calls beside gimbal's.
add_test(
  NAME cub_census
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/cub_census.py ${gimbal_cccl_include_dir} ${GIMBAL_NEWER_CCCL_INCLUDE_DIR}
          ${GIMBAL_OLDER_CCCL_INCLUDE_DIR})
add_test(NAME share COMMAND Python3::Interpreter -m doctest ${CMAKE_CURRENT_SOURCE_DIR}/share.py)
add_test(NAME dev_commands COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/dev_commands.sh)

# The programs in usage/, built as users build them: inside a user's project, and against an installed gimbal.
set(installed ${PROJECT_BINARY_DIR}/installed)
add_test(NAME install COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${installed})
set_tests_properties(install PROPERTIES FIXTURES_SETUP installed)
foreach(way add_subdirectory fetch_content find_package)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/usage/${way})
  add_test(
    NAME use_by_${way}
    COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/usage/${way} ${folder} --build-generator
            ${CMAKE_GENERATOR} --build-options -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -Dgimbal_ROOT=${installed}
            -DGIMBAL_CCCL_INCLUDE_DIR=${gimbal_cccl_include_dir} --test-command ${folder}/example)
  set_tests_properties(use_by_${way} PROPERTIES LABELS usage)
endforeach()
set_tests_properties(use_by_find_package PROPERTIES FIXTURES_REQUIRED installed)
set(layer ${CMAKE_CURRENT_BINARY_DIR}/usage/install_export)
add_test(
  NAME use_by_install_export
  COMMAND sh -ec "$0 -S $1 -B $2/build -G $3 && $0 --install $2/build --prefix $2/installed && $0 -S $1/user -B $2/user -G $3 -D CMAKE_PREFIX_PATH=$2/installed && $0 --build $2/user"
          ${CMAKE_COMMAND} ${CMAKE_CURRENT_SOURCE_DIR}/usage/install_export ${layer} ${CMAKE_GENERATOR})
set_tests_properties(use_by_install_export PROPERTIES LABELS usage)
# Folders without the CCCL headers are refused, not passed over for others.
add_test(NAME wrong_cccl COMMAND ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR} -B ${CMAKE_CURRENT_BINARY_DIR}/usage/wrong_cccl
                                 -G ${CMAKE_GENERATOR} -D GIMBAL_CCCL_INCLUDE_DIR=${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(wrong_cccl PROPERTIES LABELS usage PASS_REGULAR_EXPRESSION "no thrust/version.h in")
add_test(
  NAME use_by_plain_compiler
  COMMAND sh -c "$0 -std=c++17 -x c++ -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP -I $1 -I $2/include $3 -o example_plain -lboost_context -pthread && ./example_plain"
          ${CMAKE_CXX_COMPILER} ${gimbal_cccl_include_dir} ${installed} ${CMAKE_CURRENT_SOURCE_DIR}/usage/example.cu)
set_tests_properties(use_by_plain_compiler PROPERTIES LABELS usage FIXTURES_REQUIRED installed)
