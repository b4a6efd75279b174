// CUTLASS's grouped kernel, built from the same parts as its example 57, in bfloat16 by rows, without C. PING: its
// schedule. TM, TN: a tile. CM, CN: a cluster.
#include "cutlass/cutlass.h"
#include "cute/tensor.hpp"
#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/gemm/dispatch_policy.hpp"
#include "cutlass/gemm/device/gemm_universal_adapter.h"
#include "cutlass/gemm/group_array_problem_shape.hpp"
#include "cutlass/gemm/kernel/gemm_universal.hpp"
#include "cutlass/util/packed_stride.hpp"
#include "contender.h"
#include <cstdio>
#include <cstdlib>
#include <vector>
using namespace cute;
using Bf = cutlass::bfloat16_t;
using Row = cutlass::layout::RowMajor;
using Problem = cutlass::gemm::GroupProblemShape<Shape<int, int, int>>;
#if PING
using Main = cutlass::gemm::KernelPtrArrayTmaWarpSpecializedPingpong;
using End = cutlass::epilogue::PtrArrayTmaWarpSpecializedPingpong;
#else
using Main = cutlass::gemm::KernelPtrArrayTmaWarpSpecializedCooperative;
using End = cutlass::epilogue::PtrArrayTmaWarpSpecializedCooperative;
#endif
using TileShape = Shape<Int<TM>, Int<TN>, _64>;
using ClusterShape = Shape<Int<CM>, Int<CN>, _1>;
using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, TileShape, ClusterShape,
    cutlass::epilogue::collective::EpilogueTileAuto, float, float, void, Row *, 8, Bf, Row *, 8, End,
    cutlass::epilogue::fusion::LinearCombination<Bf, float>>::CollectiveOp;
using Mainloop = typename cutlass::gemm::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Bf, Row *, 8, Bf, Row *, 8, float, TileShape, ClusterShape,
    cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(sizeof(typename Epilogue::SharedStorage))>,
    Main>::CollectiveOp;
using Kernel = cutlass::gemm::kernel::GemmUniversal<Problem, Mainloop, Epilogue>;
using Gemm = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;
template <class T> static T *up(const std::vector<T> &host) {
  T *there;
  cudaMalloc(&there, host.size() * sizeof(T) + 16);
  cudaMemcpy(there, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return there;
}
static bool isDone(const char *what, cutlass::Status status) {
  if (status != cutlass::Status::kSuccess) printf("%s: %s\n", what, cutlassGetStatusString(status));
  return status == cutlass::Status::kSuccess;
}
std::function<void()> NAME(const Inputs &in) {
  static std::vector<Shape<int, int, int>> sizes;
  std::vector<const Bf *> a, b;
  std::vector<const Bf *> c;
  std::vector<Bf *> d;
  std::vector<typename Kernel::InternalStrideA> sa;
  std::vector<typename Kernel::InternalStrideB> sb;
  std::vector<typename Kernel::InternalStrideC> sc;
  std::vector<typename Kernel::InternalStrideD> sd;
  sizes.clear();
  int begin = 0;
  for (int g = 0; g < in.groups; g++) {
    int rows = in.ends[g] - begin;
    sizes.push_back({rows, in.n, in.k});
    a.push_back((Bf *)in.a + (size_t)begin * in.k);
    b.push_back((Bf *)in.b + (size_t)g * in.k * in.n);
    c.push_back(nullptr);
    d.push_back((Bf *)in.c + (size_t)begin * in.n);
    sa.push_back(cutlass::make_cute_packed_stride(typename Kernel::InternalStrideA{}, {rows, in.k, 1}));
    sb.push_back(cutlass::make_cute_packed_stride(typename Kernel::InternalStrideB{}, {in.n, in.k, 1}));
    sc.push_back(cutlass::make_cute_packed_stride(typename Kernel::InternalStrideC{}, {rows, in.n, 1}));
    sd.push_back(cutlass::make_cute_packed_stride(typename Kernel::InternalStrideD{}, {rows, in.n, 1}));
    begin = in.ends[g];
  }
  for (auto &p : c) p = d[0];
  auto info = cutlass::KernelHardwareInfo::make_kernel_hardware_info<Kernel>(0);
  typename Gemm::Arguments arguments;
  decltype(arguments.epilogue.thread) fusion;
  fusion.alpha = 1, fusion.beta = 0, fusion.alpha_ptr = nullptr, fusion.beta_ptr = nullptr;
  fusion.alpha_ptr_array = nullptr, fusion.beta_ptr_array = nullptr;
  fusion.dAlpha = {_0{}, _0{}, 0}, fusion.dBeta = {_0{}, _0{}, 0};
  arguments = typename Gemm::Arguments{cutlass::gemm::GemmUniversalMode::kGrouped,
                                       {in.groups, up(sizes), sizes.data()},
                                       {up(a), up(sa), up(b), up(sb)},
                                       {fusion, (decltype(arguments.epilogue.ptr_C))up(c), up(sc), up(d), up(sd)},
                                       info};
  Gemm *gemm = new Gemm;
  void *workspace;
  cudaMalloc(&workspace, Gemm::get_workspace_size(arguments) + 16);
  if (!isDone("can_implement", gemm->can_implement(arguments))) return {};
  if (!isDone("initialize", gemm->initialize(arguments, workspace))) return {};
  return [gemm] { gemm->run(); };
}
