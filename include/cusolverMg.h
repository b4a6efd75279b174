/* cuSOLVER for matrices spread over several devices, after the cuSOLVER documentation ("cuSolverMG"); written for
   Heddle. */
#ifndef HEDDLE_CUSOLVERMG_H
#define HEDDLE_CUSOLVERMG_H
#define CUSOLVERMG_H_ /* public code asks for it */

#include <cublas_api.h>
#include <cuda_runtime_api.h>
#include <cusolver_common.h>
#include <stdint.h>

typedef struct cusolverMgContext *cusolverMgHandle_t;
typedef void *cudaLibMgGrid_t;
typedef void *cudaLibMgMatrixDesc_t;
typedef enum {
  CUDALIBMG_GRID_MAPPING_ROW_MAJOR = 1,
  CUDALIBMG_GRID_MAPPING_COL_MAJOR = 0
} cusolverMgGridMapping_t;

#ifdef __cplusplus
extern "C" {
#endif
cusolverStatus_t cusolverMgCreate(cusolverMgHandle_t *handle);
cusolverStatus_t cusolverMgDestroy(cusolverMgHandle_t handle);
cusolverStatus_t cusolverMgDeviceSelect(cusolverMgHandle_t handle, int nbDevices, int deviceId[]);
cusolverStatus_t cusolverMgCreateDeviceGrid(cudaLibMgGrid_t *grid, int32_t numRowDevices, int32_t numColDevices,
                                            const int32_t deviceId[], cusolverMgGridMapping_t mapping);
cusolverStatus_t cusolverMgDestroyGrid(cudaLibMgGrid_t grid);
cusolverStatus_t cusolverMgCreateMatrixDesc(cudaLibMgMatrixDesc_t *desc, int64_t numRows, int64_t numCols,
                                            int64_t rowBlockSize, int64_t colBlockSize, cudaDataType dataType,
                                            const cudaLibMgGrid_t grid);
cusolverStatus_t cusolverMgDestroyMatrixDesc(cudaLibMgMatrixDesc_t desc);

#define HEDDLE_MG_A void *array_d_A[], int IA, int JA, cudaLibMgMatrixDesc_t descrA
#define HEDDLE_MG_B void *array_d_B[], int IB, int JB, cudaLibMgMatrixDesc_t descrB
#define HEDDLE_MG_WORK void *array_d_work[], int64_t lwork, int *info
cusolverStatus_t cusolverMgSyevd_bufferSize(cusolverMgHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo,
                                            int N, HEDDLE_MG_A, void *W, cudaDataType dataTypeW,
                                            cudaDataType computeType, int64_t *lwork);
cusolverStatus_t cusolverMgSyevd(cusolverMgHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int N,
                                 HEDDLE_MG_A, void *W, cudaDataType dataTypeW, cudaDataType computeType,
                                 HEDDLE_MG_WORK);
cusolverStatus_t cusolverMgGetrf_bufferSize(cusolverMgHandle_t handle, int M, int N, HEDDLE_MG_A, int *array_d_IPIV[],
                                            cudaDataType computeType, int64_t *lwork);
cusolverStatus_t cusolverMgGetrf(cusolverMgHandle_t handle, int M, int N, HEDDLE_MG_A, int *array_d_IPIV[],
                                 cudaDataType computeType, HEDDLE_MG_WORK);
cusolverStatus_t cusolverMgGetrs_bufferSize(cusolverMgHandle_t handle, cublasOperation_t TRANS, int N, int NRHS,
                                            HEDDLE_MG_A, int *array_d_IPIV[], HEDDLE_MG_B, cudaDataType computeType,
                                            int64_t *lwork);
cusolverStatus_t cusolverMgGetrs(cusolverMgHandle_t handle, cublasOperation_t TRANS, int N, int NRHS, HEDDLE_MG_A,
                                 int *array_d_IPIV[], HEDDLE_MG_B, cudaDataType computeType, HEDDLE_MG_WORK);
cusolverStatus_t cusolverMgPotrf_bufferSize(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N, HEDDLE_MG_A,
                                            cudaDataType computeType, int64_t *lwork);
cusolverStatus_t cusolverMgPotrf(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N, HEDDLE_MG_A,
                                 cudaDataType computeType, HEDDLE_MG_WORK);
cusolverStatus_t cusolverMgPotrs_bufferSize(cusolverMgHandle_t handle, cublasFillMode_t uplo, int n, int nrhs,
                                            HEDDLE_MG_A, HEDDLE_MG_B, cudaDataType computeType, int64_t *lwork);
cusolverStatus_t cusolverMgPotrs(cusolverMgHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, HEDDLE_MG_A,
                                 HEDDLE_MG_B, cudaDataType computeType, HEDDLE_MG_WORK);
cusolverStatus_t cusolverMgPotri_bufferSize(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N, HEDDLE_MG_A,
                                            cudaDataType computeType, int64_t *lwork);
cusolverStatus_t cusolverMgPotri(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N, HEDDLE_MG_A,
                                 cudaDataType computeType, HEDDLE_MG_WORK);
#ifdef __cplusplus
}
#endif
#endif
