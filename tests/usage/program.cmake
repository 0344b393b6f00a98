# The program of the projects beside this file. With -DEXAMPLE_GPU=ON it is compiled by nvcc for the GPU, otherwise as C++
# for the host executor.
option(EXAMPLE_GPU "Compile for the GPU" OFF)
add_executable(example ${CMAKE_CURRENT_LIST_DIR}/example.cu)
if(EXAMPLE_GPU)
  enable_language(CUDA)
  target_link_libraries(example PRIVATE gimbal::gimbal)
else()
  target_link_libraries(example PRIVATE gimbal::host_executor)
endif()
