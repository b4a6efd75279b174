// A plain loop of a forward convolution, in processor time (see convolution.cu).
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv) {
  int N = atoi(argv[1]), C = atoi(argv[2]), H = atoi(argv[3]), K = atoi(argv[4]), R = atoi(argv[5]), P = atoi(argv[6]);
  int O = H + 2 * P - R + 1;
  float *x = malloc(4L * N * C * H * H), *w = malloc(4L * K * C * R * R), *y = malloc(4L * N * K * O * O);
  for (long i = 0; i < (long)N * C * H * H; i++) x[i] = rand() % 17 / 8.0f - 1;
  for (long i = 0; i < (long)K * C * R * R; i++) w[i] = rand() % 17 / 8.0f - 1;
  double best = 1e9;
  for (int t = 0; t < 5; t++) {
    clock_t b = clock();
    for (int n = 0; n < N; n++)
      for (int k = 0; k < K; k++)
        for (int i = 0; i < O; i++)
          for (int j = 0; j < O; j++) {
            float s = 0;
            for (int c = 0; c < C; c++)
              for (int p = 0; p < R; p++)
                for (int q = 0; q < R; q++) {
                  int a = i - P + p, d = j - P + q;
                  if (a >= 0 && a < H && d >= 0 && d < H)
                    s += x[((n * C + c) * H + a) * H + d] * w[((k * C + c) * R + p) * R + q];
                }
            y[((n * K + k) * O + i) * O + j] = s;
          }
    double s = (double)(clock() - b) / CLOCKS_PER_SEC;
    if (s < best) best = s;
  }
  printf("loop %.2f GFLOP/s (%g)\n", 2.0 * N * K * O * O * C * R * R / best / 1e9, y[17]);
}
