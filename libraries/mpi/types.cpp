// MPI's types (MPI 3.1, chapter 4), and buffers that lie on the device.
#include <algorithm>
#include "value-pairs.h"
#include "world.h"

namespace heddle_mpi {
namespace {

template <class T> Type plain(MPI_Datatype base) {
  Type type;
  type.runs = {{0, sizeof(T)}};
  type.size = sizeof(T);
  type.extent = type.upper = sizeof(T);
  type.alignment = alignof(T);
  type.base = base;
  return type;
}
const std::vector<Type> &predefined() {
  static const std::vector<Type> types = {Type{}, plain<char>(MPI_CHAR), plain<char>(MPI_SIGNED_CHAR),
      plain<char>(MPI_UNSIGNED_CHAR), plain<char>(MPI_BYTE), plain<short>(MPI_SHORT),
      plain<short>(MPI_UNSIGNED_SHORT), plain<int>(MPI_INT), plain<int>(MPI_UNSIGNED), plain<long>(MPI_LONG),
      plain<long>(MPI_UNSIGNED_LONG), plain<long long>(MPI_LONG_LONG_INT), plain<long long>(MPI_UNSIGNED_LONG_LONG),
      plain<float>(MPI_FLOAT), plain<double>(MPI_DOUBLE), plain<long double>(MPI_LONG_DOUBLE),
      plain<bool>(MPI_C_BOOL), plain<char>(MPI_PACKED), plain<FloatInt>(MPI_FLOAT_INT),
      plain<DoubleInt>(MPI_DOUBLE_INT), plain<LongInt>(MPI_LONG_INT), plain<TwoInt>(MPI_2INT),
      plain<ShortInt>(MPI_SHORT_INT), plain<FloatComplex>(MPI_C_FLOAT_COMPLEX),
      plain<DoubleComplex>(MPI_C_DOUBLE_COMPLEX)};
  return types;
}
/// Messages in the air may be of a type that the program has freed: it is kept.
std::deque<Type> &own_types() {
  static std::deque<Type> types;
  return types;
}

/// Bounds that a program has set count alone, where there are any.
void widen(Type &made, const Type &type, ptrdiff_t at) {
  ptrdiff_t lower = at + type.lower, upper = at + type.upper;
  if (made.isResized && !type.isResized) return;
  bool isFirst = made.runs.empty() || (type.isResized && !made.isResized);
  made.lower = isFirst ? lower : std::min(made.lower, lower);
  made.upper = isFirst ? upper : std::max(made.upper, upper);
  made.isResized = type.isResized;
}
/// `count` elements of `type`, each `stride` bytes behind the one before, from `at`.
void append(Type &made, const Type &type, int count, ptrdiff_t stride, ptrdiff_t at) {
  made.alignment = std::max(made.alignment, type.alignment);
  for (int i = 0; i < count; i++) {
    widen(made, type, at + i * stride);
    for (const Type::Run &run : type.runs) {
      ptrdiff_t place = at + i * stride + run.at;
      if (!made.runs.empty() && made.runs.back().at + (ptrdiff_t)made.runs.back().bytes == place)
        made.runs.back().bytes += run.bytes;
      else made.runs.push_back({place, run.bytes});
      made.size += run.bytes;
    }
  }
  made.extent = made.upper - made.lower;
}
int add_type(Type &&made, MPI_Datatype *handle) {
  own_types().push_back(std::move(made));
  *handle = FIRST_OWN + (int)own_types().size() - 1;
  return MPI_SUCCESS;
}
} // namespace

const Type *type_of(MPI_Datatype type) {
  if (type >= 1 && (size_t)type < predefined().size()) return &predefined()[type];
  size_t own = (size_t)(type - FIRST_OWN);
  return type >= FIRST_OWN && own < own_types().size() ? &own_types()[own] : nullptr;
}

namespace {
bool is_on_device(const void *buffer) {
  cudaPointerAttributes attributes;
  if (!buffer || cudaPointerGetAttributes(&attributes, buffer) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
}
/// False: the driver refuses the copy.
bool copied(void *to, const void *from, size_t bytes, bool isDevice, cudaMemcpyKind kind) {
  if (bytes == 0 || to == from) return true;
  if (isDevice) return cudaMemcpy(to, from, bytes, kind) == cudaSuccess;
  memmove(to, from, bytes);
  return true;
}
} // namespace

Packed::Packed(const void *data, int count, const Type &type) : bytes((const char *)data) {
  static const char nothing = 0;
  bool isDevice = is_on_device(data);
  if (type.size * (size_t)count == 0) bytes = &nothing;
  if (bytes == &nothing || (!isDevice && type.isPlain())) return;
  copy.resize(type.size * (size_t)count);
  char *to = copy.data();
  bytes = to;
  if (type.isPlain()) {
    if (!copied(to, data, copy.size(), isDevice, cudaMemcpyDeviceToHost)) bytes = nullptr;
    return;
  }
  for (int i = 0; i < count; i++)
    for (const Type::Run &run : type.runs) {
      const char *from = (const char *)data + i * type.extent + run.at;
      if (!copied(to, from, run.bytes, isDevice, cudaMemcpyDeviceToHost)) {
        bytes = nullptr;
        return;
      }
      to += run.bytes;
    }
}
int unpack(void *data, int count, const Type &type, const char *from, size_t bytes) {
  bool isDevice = is_on_device(data);
  if (type.isPlain()) return copied(data, from, bytes, isDevice, cudaMemcpyHostToDevice) ? MPI_SUCCESS : MPI_ERR_BUFFER;
  size_t done = 0;
  for (int i = 0; i < count && done < bytes; i++)
    for (const Type::Run &run : type.runs) {
      size_t part = std::min(run.bytes, bytes - done);
      char *to = (char *)data + i * type.extent + run.at;
      if (!copied(to, from + done, part, isDevice, cudaMemcpyHostToDevice)) return MPI_ERR_BUFFER;
      done += part;
    }
  return MPI_SUCCESS;
}

} // namespace heddle_mpi

using namespace heddle_mpi;

static int no_type(const char *name) { return failed(MPI_COMM_WORLD, name, MPI_ERR_TYPE, "there is no such type"); }

extern "C" {
int MPI_Type_size(MPI_Datatype type, int *size) {
  const Type *t = type_of(type);
  if (!t) return no_type("MPI_Type_size");
  *size = (int)t->size;
  return MPI_SUCCESS;
}
int MPI_Type_get_extent(MPI_Datatype type, MPI_Aint *lower, MPI_Aint *extent) {
  const Type *t = type_of(type);
  if (!t) return no_type("MPI_Type_get_extent");
  *lower = t->lower;
  *extent = t->extent;
  return MPI_SUCCESS;
}
int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype type, MPI_Datatype *made) {
  const Type *t = type_of(type);
  if (!t) return no_type("MPI_Type_create_hvector");
  Type result;
  for (int i = 0; i < count; i++) append(result, *t, length, t->extent, i * stride);
  result.base = t->base;
  return add_type(std::move(result), made);
}
int MPI_Type_vector(int count, int length, int stride, MPI_Datatype type, MPI_Datatype *made) {
  const Type *t = type_of(type);
  return t ? MPI_Type_create_hvector(count, length, stride * t->extent, type, made) : no_type("MPI_Type_vector");
}
int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype *made) {
  return MPI_Type_vector(1, count, count, type, made);
}
int MPI_Type_indexed(int count, const int lengths[], const int at[], MPI_Datatype type, MPI_Datatype *made) {
  const Type *t = type_of(type);
  if (!t) return no_type("MPI_Type_indexed");
  Type result;
  for (int i = 0; i < count; i++) append(result, *t, lengths[i], t->extent, at[i] * t->extent);
  result.base = t->base;
  return add_type(std::move(result), made);
}
int MPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint at[], MPI_Datatype type,
                             MPI_Datatype *made) {
  const Type *t = type_of(type);
  if (!t) return no_type("MPI_Type_create_hindexed");
  Type result;
  for (int i = 0; i < count; i++) append(result, *t, lengths[i], t->extent, at[i]);
  result.base = t->base;
  return add_type(std::move(result), made);
}
int MPI_Type_create_indexed_block(int count, int length, const int at[], MPI_Datatype type, MPI_Datatype *made) {
  const Type *t = type_of(type);
  if (!t) return no_type("MPI_Type_create_indexed_block");
  return MPI_Type_indexed(count, std::vector<int>(count, length).data(), at, type, made);
}
int MPI_Type_create_subarray(int count, const int sizes[], const int lengths[], const int starts[], int order,
                             MPI_Datatype type, MPI_Datatype *made) {
  const char *const name = "MPI_Type_create_subarray";
  const Type *t = type_of(type);
  if (!t) return no_type(name);
  if (count < 1 || (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN))
    return failed(MPI_COMM_WORLD, name, MPI_ERR_ARG, "the order or the number of dimensions is wrong");
  // From the dimension whose elements lie side by side to the one whose rows are farthest from each other.
  Type part = *t;
  ptrdiff_t stride = t->extent;
  for (int i = 0; i < count; i++) {
    int d = order == MPI_ORDER_C ? count - 1 - i : i;
    if (lengths[d] < 1 || starts[d] < 0 || starts[d] > sizes[d] - lengths[d])
      return failed(MPI_COMM_WORLD, name, MPI_ERR_ARG, "the part is not inside the array");
    Type row;
    append(row, part, lengths[d], stride, starts[d] * stride);
    part = std::move(row);
    stride *= sizes[d];
  }
  part.lower = 0;
  part.upper = part.extent = stride;
  part.isResized = true;
  part.base = t->base;
  return add_type(std::move(part), made);
}
int MPI_Type_create_struct(int count, const int lengths[], const MPI_Aint at[], const MPI_Datatype types[],
                           MPI_Datatype *made) {
  Type result;
  for (int i = 0; i < count; i++) {
    const Type *t = type_of(types[i]);
    if (!t) return no_type("MPI_Type_create_struct");
    append(result, *t, lengths[i], t->extent, at[i]);
  }
  if (!result.isResized) {
    result.extent = (result.extent + result.alignment - 1) / result.alignment * result.alignment;
    result.upper = result.lower + result.extent;
  }
  return add_type(std::move(result), made);
}
int MPI_Type_create_resized(MPI_Datatype type, MPI_Aint lower, MPI_Aint extent, MPI_Datatype *made) {
  const Type *t = type_of(type);
  if (!t) return no_type("MPI_Type_create_resized");
  Type result = *t;
  result.lower = lower;
  result.upper = lower + extent;
  result.extent = extent;
  result.isResized = true;
  return add_type(std::move(result), made);
}
int MPI_Type_commit(MPI_Datatype *type) { return type_of(*type) ? MPI_SUCCESS : no_type("MPI_Type_commit"); }
int MPI_Type_free(MPI_Datatype *type) { return *type = MPI_DATATYPE_NULL, MPI_SUCCESS; }
int MPI_Get_address(const void *place, MPI_Aint *address) { return *address = (MPI_Aint)place, MPI_SUCCESS; }
}
