// A pointer that was never set: it points into no allocation.
struct List {
  float *values;
  int count;
};
__global__ void clear(List list) {
  int i = threadIdx.x;
  if (i < list.count) list.values[i] = 0;
}

int main() {
  List list;
  list.values = (float *)0x70000000;
  list.count = 20;
  clear<<<1, 32>>>(list);
  return cudaDeviceSynchronize() != cudaSuccess;
}
