// Cubemaps and layered cubemaps: any direction against the guide's table of faces, read by the host from the same data.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr int W = 8, LAYERS = 2, N = 4096;

struct Direction {
  float x, y, z;
};

__global__ void read(cudaTextureObject_t single, cudaTextureObject_t layered, const Direction *d, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[2 * i] = texCubemap<float>(single, d[i].x, d[i].y, d[i].z);
  texCubemapLayered(&out[2 * i + 1], layered, d[i].x, d[i].y, d[i].z, i % LAYERS);
}

__global__ void negate(cudaSurfaceObject_t surface) {
  const int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x;
  float value;
  surfCubemapread(&value, surface, x * (int)sizeof(float), y, face);
  surfCubemapwrite(-value, surface, x * (int)sizeof(float), y, face);
}

/** The value at (s, t) of a face, filtered linearly or not; what lies outside of the face is its nearest texel. */
float onFace(const float *face, float s, float t, bool linear) {
  auto texel = [&](int x, int y) {
    x = x < 0 ? 0 : x >= W ? W - 1 : x;
    y = y < 0 ? 0 : y >= W ? W - 1 : y;
    return face[y * W + x];
  };
  if (!linear) return texel((int)floorf(s * W), (int)floorf(t * W));
  const float u = s * W - 0.5f, v = t * W - 0.5f;
  const int x = (int)floorf(u), y = (int)floorf(v);
  const float a = u - x, b = v - y;
  return (1 - b) * ((1 - a) * texel(x, y) + a * texel(x + 1, y)) +
         b * ((1 - a) * texel(x, y + 1) + a * texel(x + 1, y + 1));
}

float expected(const float *data, Direction d, bool linear) {
  const float x = d.x, y = d.y, z = d.z, ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
  // face, largest coordinate, s and t, row by row as the guide prints them
  int face;
  float m, s, t;
  if (ax > ay && ax > az) {
    if (x >= 0) face = 0, m = x, s = -z, t = -y;
    else face = 1, m = -x, s = z, t = -y;
  } else if (ay > az) {
    if (y >= 0) face = 2, m = y, s = x, t = z;
    else face = 3, m = -y, s = x, t = -z;
  } else if (z >= 0) face = 4, m = z, s = x, t = -y;
  else face = 5, m = -z, s = -x, t = -y;
  return onFace(data + face * W * W, (s / m + 1) / 2, (t / m + 1) / 2, linear);
}

cudaArray_t arrayOf(const float *data, int layers, unsigned flags) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMalloc3DArray(&array, &format, make_cudaExtent(W, W, 6 * layers), flags);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr((void *)data, W * sizeof(float), W, W);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(W, W, 6 * layers);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  return array;
}

cudaTextureObject_t textureOf(cudaArray_t array, bool linear, bool normalized) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc texture = {};
  texture.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
  texture.normalizedCoords = normalized;
  cudaTextureObject_t object;
  cudaCreateTextureObject(&object, &resource, &texture, nullptr);
  return object;
}

int main() {
  static float data[LAYERS * 6 * W * W], out[2 * N];
  static Direction directions[N];
  for (float &value : data) value = rand() % 1000;
  for (int i = 0; i < N; i++) {
    float *d = &directions[i].x;
    // no two magnitudes are the same: the guide does not say which face such a direction has
    for (int k = 0; k < 3; k++) d[k] = (3 * (rand() % 5000) + k + 1) * (rand() % 2 ? 1 : -1) / 3000.0f;
  }
  Direction *d_directions;
  float *d_out;
  cudaMalloc(&d_directions, sizeof directions);
  cudaMalloc(&d_out, sizeof out);
  cudaMemcpy(d_directions, directions, sizeof directions, cudaMemcpyHostToDevice);
  cudaArray_t single = arrayOf(data, 1, cudaArrayCubemap | cudaArraySurfaceLoadStore);
  cudaArray_t layered = arrayOf(data, LAYERS, cudaArrayCubemap | cudaArrayLayered);
  int wrong = 0;
  auto compare = [&](float got, float want, float tolerance, const char *what, int i) {
    if (!(fabsf(got - want) <= tolerance) && wrong++ < 5) printf("%s %d: %g, not %g\n", what, i, got, want);
  };
  for (int mode = 0; mode < 4; mode++) {
    const bool linear = mode & 1, normalized = mode & 2;
    read<<<N / 64, 64>>>(textureOf(single, linear, normalized), textureOf(layered, linear, normalized), d_directions,
                         d_out);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    // linear filtering weighs with eight bits: up to 1/512 of a difference of 1000, twice
    for (int i = 0; i < N; i++) {
      compare(out[2 * i], expected(data, directions[i], linear), linear ? 4.0f : 0, "single", i);
      compare(out[2 * i + 1], expected(data + i % LAYERS * 6 * W * W, directions[i], linear), linear ? 4.0f : 0,
              "layered", i);
    }
  }
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = single;
  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &resource);
  negate<<<6, dim3(W, W)>>>(surface);
  read<<<N / 64, 64>>>(textureOf(single, false, true), textureOf(layered, false, true), d_directions, d_out);
  cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
  for (int i = 0; i < N; i++) compare(out[2 * i], -expected(data, directions[i], false), 0, "negated", i);
  int width = 0;
  cudaDeviceGetAttribute(&width, cudaDevAttrMaxTextureCubemapWidth, 0);
  puts(wrong > 0 || width < W || cudaGetLastError() != cudaSuccess ? "FAILED" : "PASSED");
}
