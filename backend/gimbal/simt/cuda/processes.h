// Memory of a device that several processes of one host use (CUDA's inter-process communication), and memory of the
// host that they share, for kernels.
#pragma once

#include <gimbal/simt/cuda/memory.h>

#include <algorithm>
#include <utility>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

/// Memory of the current device which other processes may open while it lives.
class exported_memory {
public:
  using handle = cudaIpcMemHandle_t;

  exported_memory() = default;
  exported_memory(const exported_memory&) = delete;
  exported_memory& operator=(const exported_memory&) = delete;
  exported_memory(exported_memory&& other) noexcept { swap(other); }
  exported_memory& operator=(exported_memory&& other) noexcept
  {
    swap(other);
    return *this;
  }
  ~exported_memory()
  {
    if (memory_ != nullptr) {
      cleared(cudaFree(memory_));
    }
  }

  /// To be called once. Whole pages: others get the pages that an allocation lies in, with all that is there.
  status allocate(std::size_t bytes)
  {
    constexpr std::size_t page = std::size_t{2} << 20;
    bytes_ = (std::max)((bytes + page - 1) / page * page, page);
    const outside_capture outside;
    error_code code = cleared(cudaMalloc(&memory_, bytes_));
    if (code == success) {
      code = cleared(cudaIpcGetMemHandle(&handle_, memory_));
    }
    return failure(code, "allocation of memory that other processes use", code == error_memory_allocation ? bytes_ : 0);
  }

  void* get() const { return memory_; }
  std::size_t bytes() const { return memory_ == nullptr ? 0 : bytes_; }
  const handle& to_open() const { return handle_; }

private:
  void swap(exported_memory& other) noexcept
  {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    std::swap(handle_, other.handle_);
  }

  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  handle handle_{};
};

/// Such memory of another process, as long as this object lives.
class imported_memory {
public:
  imported_memory() = default;
  imported_memory(const imported_memory&) = delete;
  imported_memory& operator=(const imported_memory&) = delete;
  ~imported_memory() { close(); }

  /// For the current device, whichever has the memory. Fails where that one cannot be reached.
  status open(const exported_memory::handle& handle)
  {
    close();
    const outside_capture outside;
    return checked(
      cudaIpcOpenMemHandle(&memory_, handle, cudaIpcMemLazyEnablePeerAccess), "opening of another process's memory");
  }
  void close()
  {
    if (memory_ != nullptr) {
      cleared(cudaIpcCloseMemHandle(memory_));
      memory_ = nullptr;
    }
  }
  void* get() const { return memory_; }

private:
  void* memory_ = nullptr;
};

/// Memory of the host which kernels may use, too, as long as this object lives.
class registered_memory {
public:
  registered_memory() = default;
  registered_memory(const registered_memory&) = delete;
  registered_memory& operator=(const registered_memory&) = delete;
  ~registered_memory()
  {
    if (memory_ != nullptr) {
      cleared(cudaHostUnregister(memory_));
    }
  }

  /// To be called once. Whole pages.
  status take(void* memory, std::size_t bytes)
  {
    const outside_capture outside;
    GIMBAL_TRY(checked(
      cudaHostRegister(memory, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped),
      "registration of memory that processes share"));
    memory_ = memory;
    return checked(cudaHostGetDevicePointer(&on_device_, memory, 0), "address of memory that processes share");
  }
  /// Its address for kernels.
  void* get() const { return on_device_; }

private:
  void* memory_ = nullptr;
  void* on_device_ = nullptr;
};

/// What another process calls a device, which this one may not see.
struct device_name {
  char bus[16];
};
inline status current_device_name(device_name& name)
{
  int device = 0;
  const error_code code = cudaGetDevice(&device);
  return checked(
    code != success ? code : cudaDeviceGetPCIBusId(name.bus, sizeof(name.bus), device), "name of the current device");
}
/// Whether the current device can be given the memory of the other. True as well where this process does not see the
/// other one: opening its memory tells then.
inline bool may_reach(const device_name& other)
{
  int own = 0;
  int of_other = 0;
  int can = 0;
  if (cleared(cudaGetDevice(&own)) != success) {
    return false;
  }
  if (cleared(cudaDeviceGetByPCIBusId(&of_other, other.bus)) != success) {
    return true;
  }
  return own != of_other && cleared(cudaDeviceCanAccessPeer(&can, own, of_other)) == success && can != 0;
}

}  // namespace simt

GIMBAL_NAMESPACE_END
