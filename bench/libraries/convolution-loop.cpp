// The same convolution by a plain direct loop.
#include "timed.h"

int main(int, char **argv) {
  int N = atoi(argv[1]), C = atoi(argv[2]), H = atoi(argv[3]), K = atoi(argv[4]), R = atoi(argv[5]), P = atoi(argv[6]);
  int O = H + 2 * P - R + 1;
  size_t results = (size_t)N * K * O * O;
  std::vector<float> x = input<float>((size_t)N * C * H * H, 1), w = input<float>((size_t)K * C * R * R, 2), y(results);
  measure(atof(argv[7]), [&] {
    for (int n = 0; n < N; n++)
      for (int k = 0; k < K; k++)
        for (int i = 0; i < O; i++)
          for (int j = 0; j < O; j++) {
            float sum = 0;
            for (int c = 0; c < C; c++)
              for (int p = 0; p < R; p++)
                for (int q = 0; q < R; q++) {
                  int a = i - P + p, b = j - P + q;
                  if (a >= 0 && a < H && b >= 0 && b < H)
                    sum += x[((n * C + c) * H + a) * H + b] * w[((k * C + c) * R + p) * R + q];
                }
            y[((n * K + k) * O + i) * O + j] = sum;
          }
  });
  write_result(argv[8], y.data(), results);
}
