// The same product by a plain loop.
#include "timed.h"

static void multiply(int rows, const int *starts, const int *columns, const float *values, const float *x, float *y) {
  for (int row = 0; row < rows; row++) {
    float sum = 0;
    for (int i = starts[row]; i < starts[row + 1]; i++) sum += values[i] * x[columns[i]];
    y[row] = sum;
  }
}

int main(int, char **argv) {
  Sparse matrix = sparse_matrix(argv[1][0] == 'g', atoi(argv[2]), atoi(argv[3]));
  int rows = (int)matrix.starts.size() - 1;
  std::vector<float> x = input<float>(rows, 1), y(rows);
  measure(atof(argv[4]), [&] {
    multiply(rows, matrix.starts.data(), matrix.columns.data(), matrix.values.data(), x.data(), y.data());
  });
  write_result(argv[5], y.data(), rows);
}
