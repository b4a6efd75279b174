// Thrust's vectors in memory that the host and kernels share: references, pointers, algorithms of both, growth, copies.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>
#include <thrust/universal_vector.h>
#include <algorithm>
#include <cstdio>
#include <type_traits>

static int failures = 0;
#define CK(x) if (!(x)) printf("line %d: %s\n", __LINE__, #x), failures++

struct Point {
  int x;
  float y;
};
__global__ void addOne(int *values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += 1;
}

template <typename VECTOR> void test() {
  VECTOR v(1000);
  static_assert(std::is_same<decltype(v[0]), int &>::value, "an element is the host's own");
  static_assert(std::is_same<decltype(v.data().get()), int *>::value, "data() is a pointer with get()");
  for (int i = 0; i < 1000; i++) v[i] = 1000 - i;
  addOne<<<4, 256>>>(thrust::raw_pointer_cast(v.data()), 1000);
  CK(cudaDeviceSynchronize() == cudaSuccess);
  CK(v[0] == 1001 && v[999] == 2 && v.front() == 1001 && v.back() == 2);
  v.data().get()[3] = -5;  // the host writes through a plain pointer, an algorithm on the device reads
  CK(thrust::reduce(v.begin(), v.end()) == 501500 - 998 - 5);
  CK(thrust::reduce(thrust::host, v.begin(), v.begin() + 2) == 2001);
}

int main() {
  test<thrust::universal_vector<int>>();
  test<thrust::universal_host_pinned_vector<int>>();

  thrust::universal_vector<int> v(1000, 7);
  cudaPointerAttributes attributes;
  CK(cudaPointerGetAttributes(&attributes, v.data().get()) == cudaSuccess);
  CK(attributes.type == cudaMemoryTypeManaged);
  thrust::transform(v.begin(), v.end(), v.begin(), thrust::negate<int>());
  int count = 0;
  for (const int &value : v) count += value == -7;
  CK(count == 1000);
  for (int i = 0; i < 100; i++) v.push_back(i);
  CK(v.size() == 1100 && v[1000] == 0 && v[1099] == 99 && v[5] == -7);
  v.resize(1200, 3);
  v.erase(v.begin(), v.begin() + 1000);
  CK(v.size() == 200 && v[0] == 0 && *(v.end() - 1) == 3);

  thrust::host_vector<int> h = v;
  thrust::device_vector<int> d = v;
  CK(h[99] == 99 && d[99] == 99 && d == v && h == v);
  d[99] = 4;
  thrust::universal_vector<int> w = d, u(w);
  CK(w[99] == 4 && w != v && u == w && d == w);
  thrust::copy(v.begin(), v.begin() + 2, h.begin() + 5);
  CK(h[6] == 1);
  const thrust::universal_vector<int> moved = std::move(w);
  CK(moved[99] == 4 && *moved.begin() == 0);

  thrust::universal_vector<Point> points(3, Point{1, 2.5f});
  points.begin()->x = 9;
  CK(points[0].x == 9 && points[2].x == 1 && points[2].y == 2.5f);

  // A value that is an element of the vector itself, which moves as it grows.
  thrust::universal_vector<int> own{41, 42, 43};
  for (int i = 0; i < 100; i++) own.push_back(own[0]);
  CK(own.size() == 103 && std::count(own.begin(), own.end(), 41) == 101);
  own.resize(own.capacity() + 500, own[1]);
  CK(own[102] == 41 && own[103] == 42 && own.back() == 42);
  own.resize(own.capacity(), 1);
  own.insert(own.begin(), own[2]);
  CK(own[0] == 43 && own[1] == 41);
  own.insert(own.begin() + 1, own[2]);
  CK(own[1] == 42 && own[2] == 41 && own[3] == 42);
  own.assign(own.capacity() + 500, own[1]);
  CK(std::count(own.begin(), own.end(), 42) == (ptrdiff_t)own.size());

  thrust::universal_allocator<int> allocator;
  thrust::universal_ptr<int> p = allocator.allocate(4);
  p[2] = 5;
  CK(thrust::raw_pointer_cast(p)[2] == 5 && p);
  allocator.deallocate(p, 4);
  puts(failures ? "FAILED" : "PASSED");
  return failures != 0;
}
