# The program of the three projects beside this file. With -DEXAMPLE_GPU=ON it is compiled by nvcc for the GPU, otherwise
# as C++ for the host executor.
option(EXAMPLE_GPU "Compile for the GPU" OFF)
add_executable(example ${CMAKE_CURRENT_LIST_DIR}/example.cu)
if(EXAMPLE_GPU)
  enable_language(CUDA)
  target_link_libraries(example PRIVATE gimbal::gimbal)
else()
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/example.cu PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c++")
  target_link_libraries(example PRIVATE gimbal::host_executor)
endif()
