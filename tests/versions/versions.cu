// Tests shared libraries that have gimbal inside, of the same and of different versions, in one process (library.cu):
// each runs its own code, and those of the same version share a pool.
#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <cstddef>
#include <string>

namespace {

class library {
public:
  explicit library(const std::string& name)
      : handle_(dlopen(("$ORIGIN/libversions_" + name + ".so").c_str(), RTLD_NOW | RTLD_GLOBAL))
  {
    INFO(name);
    if (handle_ == nullptr) {
      FAIL(dlerror());
    }
  }

  int mark() const { return call<int>("library_mark"); }
  int mark_by_kernel() const { return call<int>("library_mark_by_kernel"); }
  std::size_t memory_held() const { return call<std::size_t>("library_memory_held"); }
  void* allocate(std::size_t bytes) const { return call<void*>("library_allocate", bytes); }
  void free(void* memory) const { call<void>("library_free", memory); }

private:
  template <class Result, class... Arguments>
  Result call(const char* name, Arguments... arguments) const
  {
    return reinterpret_cast<Result (*)(Arguments...)>(dlsym(handle_, name))(arguments...);
  }

  void* handle_;  // never closed
};

struct libraries {
  library first{"first"};
  library same{"same"};        // version
  library next{"next"};        // version
  library tagged{"tagged"};    // GIMBAL_ABI_TAG
  library wrapped{"wrapped"};  // Thrust, into a namespace of its own
};

}  // namespace

TEST_CASE("libraries of different versions run their own code")
{
  const libraries all;
  CHECK(all.first.mark() == 1);
  CHECK(all.same.mark() == 1);
  CHECK(all.next.mark() == 2);
  CHECK(all.tagged.mark() == 3);
  CHECK(all.wrapped.mark() == 4);
  CHECK(all.first.mark_by_kernel() == 1);
  CHECK(all.same.mark_by_kernel() == 1);
  CHECK(all.next.mark_by_kernel() == 2);
  CHECK(all.tagged.mark_by_kernel() == 3);
  CHECK(all.wrapped.mark_by_kernel() == 4);
}

TEST_CASE("libraries share a pool if they are of the same version")
{
  const libraries all;
  const std::size_t first = all.first.memory_held();
  const std::size_t next = all.next.memory_held();
  const std::size_t tagged = all.tagged.memory_held();
  void* const memory = all.first.allocate(std::size_t{64} << 20);
  REQUIRE(memory != nullptr);
  CHECK(all.first.memory_held() > first);
  CHECK(all.same.memory_held() == all.first.memory_held());
  CHECK(all.next.memory_held() == next);
  CHECK(all.tagged.memory_held() == tagged);
  all.first.free(memory);
}

#ifdef GIMBAL_TEST_ARCHITECTURES
TEST_CASE("libraries for different architectures run their own code")
{
  const library first("first");
  const library other("other_architecture");
  CHECK(other.mark() == 5);
  CHECK(other.mark_by_kernel() == 5);
  CHECK(first.mark_by_kernel() == 1);
}
#endif
