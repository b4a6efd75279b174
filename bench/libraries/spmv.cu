// A sparse matrix in CSR times a vector by cuSPARSE: grid or random, size, entries of a row, as in timed.h.
#include <cusparse.h>
#include "timed-device.h"

int main(int, char **argv) {
  Sparse matrix = sparse_matrix(argv[1][0] == 'g', atoi(argv[2]), atoi(argv[3]));
  int rows = (int)matrix.starts.size() - 1, entries = (int)matrix.columns.size();
  int *starts = on_device(matrix.starts), *columns = on_device(matrix.columns);
  float *values = on_device(matrix.values), *x = on_device(input<float>(rows, 1)), one = 1, zero = 0;
  float *y = on_device(std::vector<float>(rows));
  cusparseHandle_t handle;
  cusparseSpMatDescr_t a;
  cusparseDnVecDescr_t vx, vy;
  want(cusparseCreate(&handle), "cusparseCreate");
  want(cusparseCreateCsr(&a, rows, rows, entries, starts, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                         CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F), "cusparseCreateCsr");
  want(cusparseCreateDnVec(&vx, rows, x, CUDA_R_32F), "cusparseCreateDnVec");
  want(cusparseCreateDnVec(&vy, rows, y, CUDA_R_32F), "cusparseCreateDnVec");
  size_t bytes = 0;
  want(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, vx, &zero, vy, CUDA_R_32F,
                               CUSPARSE_SPMV_ALG_DEFAULT, &bytes), "cusparseSpMV_bufferSize");
  char *buffer = on_device(std::vector<char>(bytes + 1));
  measure(atof(argv[4]), [&] {
    want(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, vx, &zero, vy, CUDA_R_32F,
                      CUSPARSE_SPMV_ALG_DEFAULT, buffer), "cusparseSpMV");
    cudaDeviceSynchronize();
  });
  write_device(argv[5], y, rows);
}
