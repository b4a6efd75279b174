// Arrays of the driver API, copies into and out of them, texture and surface objects.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>

static int failures = 0;
#define EXPECT(what)                                                             \
  do {                                                                           \
    if (!(what)) failures++, printf("line %d: %s\n", __LINE__, #what);           \
  } while (0)
#define CHECK(call) EXPECT((call) == CUDA_SUCCESS)

const int WIDTH = 12, HEIGHT = 5, DEPTH = 3;

__global__ void readFloats(CUtexObject object, float *out) {
  out[blockIdx.x * WIDTH + threadIdx.x] = tex2D<float>(object, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
}
__global__ void readBytes(CUtexObject asInteger, CUtexObject asFloat, float *out) {
  uchar4 texel = tex2D<uchar4>(asInteger, 1.5f, 2.5f);
  float4 share = tex2D<float4>(asFloat, 1.5f, 2.5f);
  out[0] = texel.x, out[1] = texel.w, out[2] = share.x, out[3] = share.w;
}
__global__ void addOne(CUsurfObject surface) {
  int value;
  surf2Dread(&value, surface, threadIdx.x * 4, blockIdx.x);
  surf2Dwrite(value + 1, surface, threadIdx.x * 4, blockIdx.x);
}

static CUDA_RESOURCE_DESC resourceOf(CUarray array) {
  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  return resource;
}

static void floats() {
  const CUDA_ARRAY_DESCRIPTOR description = {WIDTH, HEIGHT, CU_AD_FORMAT_FLOAT, 1};
  CUarray array;
  CHECK(cuArrayCreate(&array, &description));
  CUDA_ARRAY_DESCRIPTOR known;
  CHECK(cuArrayGetDescriptor(&known, array));
  EXPECT(memcmp(&known, &description, sizeof known) == 0);
  // Rows in host memory that are longer than the array's; the array's second column gets the first one.
  float rows[HEIGHT][WIDTH + 4];
  for (int i = 0; i < HEIGHT * (WIDTH + 4); i++) rows[0][i] = (float)i;
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = rows;
  copy.srcPitch = sizeof rows[0];
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.dstXInBytes = sizeof(float);
  copy.WidthInBytes = (WIDTH - 1) * sizeof(float);
  copy.Height = HEIGHT;
  CHECK(cuMemcpy2D(&copy));
  copy.dstXInBytes = 1;
  EXPECT(cuMemcpy2D(&copy) == CUDA_ERROR_INVALID_VALUE);

  CUDA_RESOURCE_DESC resource = resourceOf(array), knownResource;
  CUDA_TEXTURE_DESC texture = {}, knownTexture;
  texture.addressMode[0] = texture.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
  texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
  CUtexObject object;
  CHECK(cuTexObjectCreate(&object, &resource, &texture, nullptr));
  CHECK(cuTexObjectGetResourceDesc(&knownResource, object));
  EXPECT(knownResource.resType == CU_RESOURCE_TYPE_ARRAY && knownResource.res.array.hArray == array);
  CHECK(cuTexObjectGetTextureDesc(&knownTexture, object));
  EXPECT(knownTexture.filterMode == CU_TR_FILTER_MODE_LINEAR && knownTexture.addressMode[1] == CU_TR_ADDRESS_MODE_CLAMP);

  CUdeviceptr out;
  size_t pitch;
  CHECK(cuMemAllocPitch(&out, &pitch, WIDTH * sizeof(float), HEIGHT, 4));
  EXPECT(pitch >= WIDTH * sizeof(float));
  readFloats<<<HEIGHT, WIDTH>>>(object, (float *)out);
  float seen[HEIGHT][WIDTH];
  CHECK(cuMemcpyDtoH(seen, out, sizeof seen));
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 1; x < WIDTH; x++) EXPECT(seen[y][x] == rows[y][x - 1]);

  CHECK(cuMemsetD2D32(out, pitch, 7, WIDTH, HEIGHT));
  CHECK(cuMemsetD2D16(out + 4, pitch, 3, 2, HEIGHT));
  CHECK(cuMemsetD2D8(out + 8, pitch, 5, 1, 1));
  unsigned words[3];
  CHECK(cuMemcpyDtoH(words, out + (HEIGHT - 1) * pitch, sizeof words));
  EXPECT(words[0] == 7 && words[1] == 0x00030003 && words[2] == 7);
  CHECK(cuMemcpyDtoH(words, out, sizeof words));
  EXPECT(words[2] == 5);

  CHECK(cuTexObjectDestroy(object));
  EXPECT(cuTexObjectDestroy(object) != CUDA_SUCCESS);
  CHECK(cuArrayDestroy(array));
  EXPECT(cuArrayDestroy(array) != CUDA_SUCCESS);
  CHECK(cuMemFree(out));
}

static void bytes() {
  // A plane of device memory, read as whole numbers and as floats from 0 to 1.
  unsigned char texels[4][64][4];
  memset(texels, 0, sizeof texels);
  texels[2][1][0] = 51, texels[2][1][3] = 255;
  CUdeviceptr plane, out;
  CHECK(cuMemAlloc(&plane, sizeof texels));
  CHECK(cuMemAlloc(&out, 4 * sizeof(float)));
  CHECK(cuMemcpyHtoD(plane, texels, sizeof texels));
  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_PITCH2D;
  resource.res.pitch2D = {plane, CU_AD_FORMAT_UNSIGNED_INT8, 4, 4, 4, 256};
  CUDA_TEXTURE_DESC texture = {};
  CUtexObject asFloat, asInteger;
  CHECK(cuTexObjectCreate(&asFloat, &resource, &texture, nullptr));
  texture.flags = CU_TRSF_READ_AS_INTEGER;
  CHECK(cuTexObjectCreate(&asInteger, &resource, &texture, nullptr));
  readBytes<<<1, 1>>>(asInteger, asFloat, (float *)out);
  float seen[4];
  CHECK(cuMemcpyDtoH(seen, out, sizeof seen));
  EXPECT(seen[0] == 51 && seen[1] == 255 && seen[2] == 0.2f && seen[3] == 1);
  CUDA_RESOURCE_DESC known;
  CHECK(cuTexObjectGetResourceDesc(&known, asFloat));
  const auto &now = known.res.pitch2D, &given = resource.res.pitch2D;
  EXPECT(now.devPtr == plane && now.format == given.format && now.numChannels == 4);
  EXPECT(now.width == 4 && now.height == 4 && now.pitchInBytes == 256);
  resource.res.pitch2D.numChannels = 3;
  EXPECT(cuTexObjectCreate(&asFloat, &resource, &texture, nullptr) == CUDA_ERROR_INVALID_VALUE);
}

static void volumes() {
  const CUDA_ARRAY3D_DESCRIPTOR description = {WIDTH, HEIGHT, DEPTH, CU_AD_FORMAT_SIGNED_INT32, 1, 0};
  CUarray array;
  CHECK(cuArray3DCreate(&array, &description));
  CUDA_ARRAY3D_DESCRIPTOR known;
  CHECK(cuArray3DGetDescriptor(&known, array));
  EXPECT(known.Depth == DEPTH && known.Format == CU_AD_FORMAT_SIGNED_INT32 && known.NumChannels == 1);
  int values[DEPTH][HEIGHT][WIDTH], back[2][2][3];
  for (int i = 0; i < DEPTH * HEIGHT * WIDTH; i++) values[0][0][i] = i;
  CUDA_MEMCPY3D in = {}, out = {};
  in.srcMemoryType = CU_MEMORYTYPE_HOST;
  in.srcHost = values;
  in.srcPitch = WIDTH * sizeof(int);
  in.srcHeight = HEIGHT;
  in.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  in.dstArray = array;
  in.WidthInBytes = WIDTH * sizeof(int);
  in.Height = HEIGHT;
  in.Depth = DEPTH;
  CHECK(cuMemcpy3D(&in));
  out.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  out.srcArray = array;
  out.srcXInBytes = 4 * sizeof(int);
  out.srcY = 2;
  out.srcZ = 1;
  out.dstMemoryType = CU_MEMORYTYPE_HOST;
  out.dstHost = back;
  out.dstPitch = 3 * sizeof(int);
  out.dstHeight = 2;
  out.WidthInBytes = 3 * sizeof(int);
  out.Height = 2;
  out.Depth = 2;
  CHECK(cuMemcpy3DAsync(&out, nullptr));
  CHECK(cuCtxSynchronize());
  for (int z = 0; z < 2; z++)
    for (int y = 0; y < 2; y++)
      for (int x = 0; x < 3; x++) EXPECT(back[z][y][x] == values[z + 1][y + 2][x + 4]);
  CHECK(cuArrayDestroy(array));
}

static void surfaces() {
  const CUDA_ARRAY3D_DESCRIPTOR description = {WIDTH, 2, 0, CU_AD_FORMAT_SIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST};
  CUarray array, other;
  CHECK(cuArray3DCreate(&array, &description));
  CHECK(cuArray3DCreate(&other, &description));
  int values[WIDTH], back[WIDTH];
  for (int i = 0; i < WIDTH; i++) values[i] = 100 * i;
  CHECK(cuMemcpyHtoA(array, 0, values, sizeof values));
  CUDA_RESOURCE_DESC resource = resourceOf(array);
  CUsurfObject surface;
  CHECK(cuSurfObjectCreate(&surface, &resource));
  addOne<<<1, WIDTH>>>(surface);
  CHECK(cuMemcpyAtoA(other, 8, array, 4, sizeof values - 8));
  CHECK(cuMemcpyAtoH(back, other, 8, sizeof values - 8));
  for (int i = 0; i < WIDTH - 2; i++) EXPECT(back[i] == 100 * (i + 1) + 1);
  CHECK(cuSurfObjectDestroy(surface));
  CHECK(cuArrayDestroy(array));
  CHECK(cuArrayDestroy(other));
}

int main() {
  CHECK(cuInit(0));
  floats();
  bytes();
  volumes();
  surfaces();
  const CUDA_ARRAY_DESCRIPTOR wrong = {4, 4, CU_AD_FORMAT_FLOAT, 3};
  CUarray array;
  EXPECT(cuArrayCreate(&array, &wrong) == CUDA_ERROR_INVALID_VALUE);
  printf(failures ? "FAILED\n" : "PASSED\n");
  return failures != 0;
}
