// Runs one MPI process per GPU, on one host or many: MPI passes NCCL's id on, and nothing else.
//
//   mpirun -np 2 mpi [keys a rank]
#include <gimbal/communicator.h>
#include <mpi.h>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

struct scattered {
  __host__ __device__ std::uint32_t operator()(long long i) const
  {
    return static_cast<std::uint32_t>(i) * 2654435761u;
  }
};

/// Which of this host's GPUs the rank has: its number among the ranks of the host.
int device_of_rank()
{
  MPI_Comm host;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int device = 0;
  MPI_Comm_rank(host, &device);
  MPI_Comm_free(&host);
  return device;
}

int main(int count, char** arguments)
{
  MPI_Init(&count, &arguments);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  bool is_right = cudaSetDevice(device_of_rank()) == cudaSuccess;

  ncclUniqueId id;
  if (rank == 0) {
    is_right = is_right && ncclGetUniqueId(&id) == ncclSuccess;
  }
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm = nullptr;
  is_right = is_right && ncclCommInitRank(&comm, size, id, rank) == ncclSuccess;
  if (!is_right) {
    std::fprintf(stderr, "rank %d: no communicator\n", rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  try {
    gimbal::nccl_communicator ranks(comm);
    const auto all = gimbal::par.over(ranks);
    thrust::device_vector<std::uint32_t> keys(count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1u << 20);
    thrust::tabulate(all, keys.begin(), keys.end(), scattered{});
    const auto before = thrust::reduce(all, keys.begin(), keys.end(), std::uint64_t{0}, thrust::plus<std::uint64_t>());
    thrust::sort(all, keys.begin(), keys.end());
    const auto after = thrust::reduce(all, keys.begin(), keys.end(), std::uint64_t{0}, thrust::plus<std::uint64_t>());
    is_right = thrust::is_sorted(all, keys.begin(), keys.end()) && before == after;
  } catch (const std::exception& thrown) {
    std::fprintf(stderr, "rank %d: %s\n", rank, thrown.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  ncclCommDestroy(comm);
  if (rank == 0) {
    std::printf("%d ranks: %s\n", size, is_right ? "sorted" : "WRONG");
  }
  MPI_Finalize();
  return is_right ? 0 : 1;
}
