// The same convolution by oneDNN, with the algorithm and in the layouts that it likes best: putting arrays into them is
// not timed.
#include <dnnl.hpp>
#include <cstring>
#include "timed.h"

using namespace dnnl;

int main(int, char **argv) {
  int N = atoi(argv[1]), C = atoi(argv[2]), H = atoi(argv[3]), K = atoi(argv[4]), R = atoi(argv[5]), P = atoi(argv[6]);
  int O = H + 2 * P - R + 1;
  engine cpu(engine::kind::cpu, 0);
  stream queue(cpu);
  auto described = [](memory::dims dims, memory::format_tag tag) {
    return memory::desc(dims, memory::data_type::f32, tag);
  };
  memory::dims xs{N, C, H, H}, ws{K, C, R, R}, ys{N, K, O, O};
  using tag = memory::format_tag;
  auto description = convolution_forward::desc(prop_kind::forward_inference, algorithm::convolution_auto,
                                               described(xs, tag::any), described(ws, tag::any),
                                               described(ys, tag::any), {1, 1}, {P, P}, {P, P});
  convolution_forward::primitive_desc chosen(description, cpu);
  std::vector<float> x = input<float>((size_t)N * C * H * H, 1), w = input<float>((size_t)K * C * R * R, 2);
  std::vector<float> y((size_t)N * K * O * O);
  memory plainX(described(xs, tag::nchw), cpu, x.data()), plainW(described(ws, tag::oihw), cpu, w.data());
  memory plainY(described(ys, tag::nchw), cpu, y.data());
  memory bestX(chosen.src_desc(), cpu), bestW(chosen.weights_desc(), cpu), bestY(chosen.dst_desc(), cpu);
  reorder(plainX, bestX).execute(queue, plainX, bestX);
  reorder(plainW, bestW).execute(queue, plainW, bestW);
  convolution_forward convolution(chosen);
  measure(atof(argv[7]), [&] {
    convolution.execute(queue, {{DNNL_ARG_SRC, bestX}, {DNNL_ARG_WEIGHTS, bestW}, {DNNL_ARG_DST, bestY}});
    queue.wait();
  });
  reorder(bestY, plainY).execute(queue, bestY, plainY);
  queue.wait();
  write_result(argv[8], y.data(), y.size());
}
