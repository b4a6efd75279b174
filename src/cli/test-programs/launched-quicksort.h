// A quicksort whose kernels launch themselves, in streams of their own. Part of device-launches.cu and gpu-launches.cu.
#pragma once

__global__ void quicksort(int *data, int left, int right, int depth) {
  if (depth >= 12 || right - left < 8) {
    for (int i = left + 1; i <= right; i++)
      for (int k = i; k > left && data[k] < data[k - 1]; k--) {
        int t = data[k];
        data[k] = data[k - 1];
        data[k - 1] = t;
      }
    return;
  }
  int pivot = data[(left + right) / 2], i = left, k = right;
  while (i <= k) {
    while (data[i] < pivot) i++;
    while (data[k] > pivot) k--;
    if (i <= k) { int t = data[i]; data[i++] = data[k]; data[k--] = t; }
  }
  cudaStream_t s;
  if (left < k) {
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    quicksort<<<1, 1, 0, s>>>(data, left, k, depth + 1);
    cudaStreamDestroy(s);
  }
  if (i < right) quicksort<<<1, 1, 0, cudaStreamFireAndForget>>>(data, i, right, depth + 1);
}
