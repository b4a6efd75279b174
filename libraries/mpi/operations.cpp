// MPI's operations (MPI 3.1, section 5.9), the program's own among them.
#include <algorithm>
#include "value-pairs.h"
#include "world.h"

namespace heddle_mpi {
namespace {
struct OwnOperation { MPI_User_function *function; };
std::vector<OwnOperation> &own_operations() {
  static std::vector<OwnOperation> operations;
  return operations;
}

template <class T, class F> bool each(const void *other, void *result, int count, F combine) {
  const T *a = (const T *)other;
  T *b = (T *)result;
  for (int i = 0; i < count; i++) b[i] = combine(a[i], b[i]);
  return true;
}
template <class T> bool numbers(MPI_Op op, const void *a, void *b, int count) {
  switch (op) {
    case MPI_MAX: return each<T>(a, b, count, [](T x, T y) { return y > x ? y : x; });
    case MPI_MIN: return each<T>(a, b, count, [](T x, T y) { return y < x ? y : x; });
    case MPI_SUM: return each<T>(a, b, count, [](T x, T y) { return (T)(x + y); });
    case MPI_PROD: return each<T>(a, b, count, [](T x, T y) { return (T)(x * y); });
    default: return false;
  }
}
template <class T> bool integers(MPI_Op op, const void *a, void *b, int count) {
  switch (op) {
    case MPI_LAND: return each<T>(a, b, count, [](T x, T y) { return (T)(x && y); });
    case MPI_LOR: return each<T>(a, b, count, [](T x, T y) { return (T)(x || y); });
    case MPI_LXOR: return each<T>(a, b, count, [](T x, T y) { return (T)(!x != !y); });
    case MPI_BAND: return each<T>(a, b, count, [](T x, T y) { return (T)(x & y); });
    case MPI_BOR: return each<T>(a, b, count, [](T x, T y) { return (T)(x | y); });
    case MPI_BXOR: return each<T>(a, b, count, [](T x, T y) { return (T)(x ^ y); });
    default: return numbers<T>(op, a, b, count);
  }
}
/// Of equal values the lower index.
template <class P> bool places(MPI_Op op, const void *a, void *b, int count) {
  if (op != MPI_MAXLOC && op != MPI_MINLOC) return false;
  return each<P>(a, b, count, [op](P x, P y) {
    if (x.value == y.value) return P{x.value, std::min(x.index, y.index)};
    return (op == MPI_MAXLOC ? x.value > y.value : x.value < y.value) ? x : y;
  });
}
template <class C> bool complex(MPI_Op op, const void *a, void *b, int count) {
  if (op == MPI_SUM) return each<C>(a, b, count, [](C x, C y) { return C{x.re + y.re, x.im + y.im}; });
  if (op != MPI_PROD) return false;
  return each<C>(a, b, count,
                 [](C x, C y) { return C{x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; });
}
/// Elements of a type with gaps, as the program's own operations see them.
class Spread {
  std::vector<char> memory;
  char *first;

public:
  Spread(const Type &type, int count, const void *packed) {
    ptrdiff_t low = std::min<ptrdiff_t>(type.lower, 0), high = type.upper;
    for (const Type::Run &run : type.runs) {
      low = std::min(low, run.at);
      high = std::max(high, run.at + (ptrdiff_t)run.bytes);
    }
    ptrdiff_t far = (count - 1) * type.extent, before = std::min<ptrdiff_t>(far, 0) + low;
    before = -before / 16 * 16 + 16; // elements stay aligned
    memory.resize(before + std::max<ptrdiff_t>(far, 0) + high);
    first = memory.data() + before;
    unpack(first, count, type, (const char *)packed, type.size * (size_t)count);
  }
  void *data() const { return first; }
};
} // namespace

bool combine(MPI_Op op, MPI_Datatype type, const void *a, void *b, int count) {
  const Type *t = type_of(type);
  if (t && op >= FIRST_OWN && (size_t)(op - FIRST_OWN) < own_operations().size()) {
    auto function = own_operations()[op - FIRST_OWN].function;
    if (count == 0 || t->isPlain()) return function((void *)a, b, &count, &type), true;
    Spread left(*t, count, a), right(*t, count, b);
    function(left.data(), right.data(), &count, &type);
    Packed result(right.data(), count, *t);
    memcpy(b, result.data(), t->size * (size_t)count);
    return true;
  }
  if (!t || !t->base) return false;
  count *= (int)(t->size / type_of(t->base)->size);
  switch (t->base) {
    case MPI_CHAR: case MPI_SIGNED_CHAR: return integers<signed char>(op, a, b, count);
    case MPI_UNSIGNED_CHAR: case MPI_BYTE: return integers<unsigned char>(op, a, b, count);
    case MPI_SHORT: return integers<short>(op, a, b, count);
    case MPI_UNSIGNED_SHORT: return integers<unsigned short>(op, a, b, count);
    case MPI_INT: return integers<int>(op, a, b, count);
    case MPI_UNSIGNED: return integers<unsigned>(op, a, b, count);
    case MPI_LONG: return integers<long>(op, a, b, count);
    case MPI_UNSIGNED_LONG: return integers<unsigned long>(op, a, b, count);
    case MPI_LONG_LONG_INT: return integers<long long>(op, a, b, count);
    case MPI_UNSIGNED_LONG_LONG: return integers<unsigned long long>(op, a, b, count);
    case MPI_FLOAT: return numbers<float>(op, a, b, count);
    case MPI_DOUBLE: return numbers<double>(op, a, b, count);
    case MPI_LONG_DOUBLE: return numbers<long double>(op, a, b, count);
    case MPI_C_BOOL: return op >= MPI_LAND && op <= MPI_BXOR && integers<bool>(op, a, b, count);
    case MPI_FLOAT_INT: return places<FloatInt>(op, a, b, count);
    case MPI_DOUBLE_INT: return places<DoubleInt>(op, a, b, count);
    case MPI_LONG_INT: return places<LongInt>(op, a, b, count);
    case MPI_2INT: return places<TwoInt>(op, a, b, count);
    case MPI_SHORT_INT: return places<ShortInt>(op, a, b, count);
    case MPI_C_FLOAT_COMPLEX: return complex<FloatComplex>(op, a, b, count);
    case MPI_C_DOUBLE_COMPLEX: return complex<DoubleComplex>(op, a, b, count);
    default: return false;
  }
}
} // namespace heddle_mpi

using namespace heddle_mpi;

extern "C" {
int MPI_Op_create(MPI_User_function *function, int, MPI_Op *op) {
  own_operations().push_back({function});
  *op = FIRST_OWN + (int)own_operations().size() - 1;
  return MPI_SUCCESS;
}
int MPI_Op_free(MPI_Op *op) { return *op = MPI_OP_NULL, MPI_SUCCESS; }
}
