// Ranks as processes of this host, without MPI: a program starts itself again for each, and NCCL's id passes through a
// file.
#pragma once

#include <fcntl.h>
#include <nccl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

extern char** environ;

namespace processes {

/// What a process that run() has started is.
struct rank {
  int number;  ///< -1: it was not started so
  int size;
  std::string folder;  ///< of all ranks' files
  std::string work;
};
inline rank own_rank()
{
  const char* const text = std::getenv("GIMBAL_RANK");
  if (text == nullptr) {
    return {-1, 0, {}, {}};
  }
  return {
    std::atoi(text), std::atoi(std::getenv("GIMBAL_RANKS")), std::getenv("GIMBAL_FOLDER"), std::getenv("GIMBAL_WORK")};
}

/// Starts this program with `arguments` once for each of `size` ranks, whose own_rank() has `work` and the folder, and
/// returns what each exits with; -1 if it does not within `seconds`, or by a signal.
inline std::vector<int> run(
  int size, const std::string& work, const std::string& folder, std::vector<std::string> arguments, int seconds)
{
  arguments.insert(arguments.begin(), "/proc/self/exe");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) {
    pointers.push_back(&argument[0]);
  }
  pointers.push_back(nullptr);
  setenv("GIMBAL_RANKS", std::to_string(size).c_str(), 1);
  setenv("GIMBAL_FOLDER", folder.c_str(), 1);
  setenv("GIMBAL_WORK", work.c_str(), 1);
  std::vector<pid_t> started;
  for (int r = 0; r < size; ++r) {
    setenv("GIMBAL_RANK", std::to_string(r).c_str(), 1);
    pid_t process = -1;
    if (posix_spawn(&process, "/proc/self/exe", nullptr, nullptr, pointers.data(), environ) != 0) {
      throw std::runtime_error("a rank's process could not be started");
    }
    started.push_back(process);
  }
  unsetenv("GIMBAL_RANK");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::vector<int> results;
  for (const pid_t process : started) {
    int state = 0;
    while (waitpid(process, &state, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > end) {
        kill(process, SIGKILL);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    results.push_back(WIFEXITED(state) ? WEXITSTATUS(state) : -1);
  }
  return results;
}

/// A folder for their files, as long as this object lives.
class folder {
public:
  folder()
  {
    if (mkdtemp(&path_[0]) == nullptr) {
      throw std::runtime_error("no folder in /tmp");
    }
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder()
  {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

private:
  std::string path_ = "/tmp/gimbal-ranks-XXXXXX";
};

/// NCCL's communicator of the ranks that run() has started, each on the device with its number.
inline ncclComm_t connect(const rank& own)
{
  const std::string path = own.folder + "/" + own.work + ".id";
  ncclUniqueId id;
  if (own.number == 0) {
    if (ncclGetUniqueId(&id) != ncclSuccess) {
      throw std::runtime_error("ncclGetUniqueId");
    }
    std::ofstream(path + ".new", std::ios::binary).write(reinterpret_cast<const char*>(&id), sizeof(id));
    std::rename((path + ".new").c_str(), path.c_str());
  }
  for (std::ifstream file; !file.is_open();) {
    file.open(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(&id), sizeof(id));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ncclComm_t comm = nullptr;
  if (cudaSetDevice(own.number) != cudaSuccess || ncclCommInitRank(&comm, own.size, id, own.number) != ncclSuccess) {
    throw std::runtime_error("ncclCommInitRank");
  }
  return comm;
}

}  // namespace processes
