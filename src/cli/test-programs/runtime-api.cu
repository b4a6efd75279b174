// The CUDA runtime API from a program's side: graphs, capture, textures, surfaces, managed and pinned memory, copies, errors, occupancy.
// Errors are those that an H200 gave (driver 580, CUDA 13), but for launches with a wrong configuration, which older versions give as 9.
#include <cstdio>
#include <cstring>
__global__ void addk(float* a, float v, int n){ int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<n) a[i]+=v; }
__global__ void readTex(cudaTextureObject_t t, float* o, int w, int h){ int x=threadIdx.x, y=blockIdx.x; if(x<w&&y<h) o[y*w+x]=tex2D<float>(t, x+0.5f, y+0.5f); }
__global__ void lin(cudaTextureObject_t t, float* o, int n){ int i=threadIdx.x; if(i<n) o[i]=tex1Dfetch<float>(t,i); }
__global__ void surf(cudaSurfaceObject_t s, int w){ surf2Dwrite(100.0f+threadIdx.x, s, threadIdx.x*4, 0); }
__device__ __managed__ int mg = 7;
__global__ void incm(){ mg += 1; }
static int hostCalls=0;
void hostfn(void* p){ hostCalls += *(int*)p; }
#define CK(x) do{ cudaError_t e_=(x); if(e_){ printf("line %d: %s: %s\n", __LINE__, #x, cudaGetErrorString(e_)); fails++; } }while(0)
#define EXPECT(c) do{ if(!(c)){ printf("line %d: %s\n", __LINE__, #c); fails++; } }while(0)
int fails=0;
int main(){
  const int n=256;
  float *d, *e;
  float h[n];
  CK(cudaMalloc(&d,n*4));
  CK(cudaMalloc(&e,n*4));
  CK(cudaMemset(d,0,n*4));
  cudaStream_t s, s2;
  CK(cudaStreamCreate(&s));
  CK(cudaStreamCreate(&s2));
  cudaGraph_t g;
  cudaGraphExec_t x;
  int one=1;
  CK(cudaStreamBeginCapture(s,cudaStreamCaptureModeGlobal));
  addk<<<1,n,0,s>>>(d,1.0f,n);
  cudaEvent_t ev;
  CK(cudaEventCreate(&ev));
  CK(cudaEventRecord(ev,s));
  CK(cudaStreamWaitEvent(s2,ev,0));
  CK(cudaMemsetAsync(e,0,n*4,s2));
  cudaEvent_t ev2;
  CK(cudaEventCreate(&ev2));
  CK(cudaEventRecord(ev2,s2));
  CK(cudaStreamWaitEvent(s,ev2,0));
  CK(cudaMemcpyAsync(e,d,n*4,cudaMemcpyDeviceToDevice,s));
  CK(cudaLaunchHostFunc(s,hostfn,&one));
  // A stream that joined may be destroyed before the capture ends.
  cudaStream_t s3;
  CK(cudaStreamCreate(&s3));
  CK(cudaStreamWaitEvent(s3,ev2,0));
  CK(cudaStreamDestroy(s3));
  CK(cudaStreamEndCapture(s,&g));
  size_t cnt=0;
  CK(cudaGraphGetNodes(g,nullptr,&cnt));
  EXPECT(cnt==4);
  CK(cudaMemcpy(h,d,4,cudaMemcpyDeviceToHost));
  EXPECT(h[0]==0);
  CK(cudaGraphInstantiate(&x,g,0));
  for(int i=0;i<3;i++) CK(cudaGraphLaunch(x,s));
  CK(cudaStreamSynchronize(s));
  CK(cudaMemcpy(h,e,n*4,cudaMemcpyDeviceToHost));
  EXPECT(h[5]==3);
  EXPECT(hostCalls==3);
  // Memory that a graph allocates and the program frees: it has the same address in every launch.
  size_t freeBefore, freeAfter, total;
  CK(cudaMemGetInfo(&freeBefore,&total));
  {
    float *m;
    cudaGraph_t gm;
    cudaGraphExec_t xm;
    CK(cudaStreamBeginCapture(s,cudaStreamCaptureModeGlobal));
    CK(cudaMallocAsync(&m,n*4,s));
    CK(cudaMemsetAsync(m,0,n*4,s));
    addk<<<1,n,0,s>>>(m,2.0f,n);
    CK(cudaStreamEndCapture(s,&gm));
    CK(cudaGraphInstantiate(&xm,gm,0));
    CK(cudaGraphDestroy(gm));
    for(int i=0;i<3;i++){
      CK(cudaGraphLaunch(xm,s));
      addk<<<1,n,0,s>>>(m,1.0f,n);
      CK(cudaMemcpyAsync(h,m,n*4,cudaMemcpyDeviceToHost,s));
      CK(i==1 ? cudaFree(m) : cudaFreeAsync(m,s));
      EXPECT(h[n-1]==3);
    }
    CK(cudaGraphExecDestroy(xm));
  }
  CK(cudaMemGetInfo(&freeAfter,&total));
  EXPECT(freeAfter==freeBefore);
  // explicit
  cudaGraph_t g2;
  CK(cudaGraphCreate(&g2,0));
  cudaGraphNode_t kn, mn;
  float v=10;
  int nn=n;
  void* args[]={&d,&v,&nn};
  cudaKernelNodeParams kp={};
  kp.func=(void*)addk;
  kp.gridDim=dim3(1);
  kp.blockDim=dim3(n);
  kp.kernelParams=args;
  CK(cudaGraphAddKernelNode(&kn,g2,nullptr,0,&kp));
  CK(cudaGraphAddMemcpyNode1D(&mn,g2,&kn,1,h,d,n*4,cudaMemcpyDeviceToHost));
  cudaGraphExec_t x2;
  CK(cudaGraphInstantiate(&x2,g2,NULL,NULL,0));
  CK(cudaGraphLaunch(x2,s));
  EXPECT(h[0]==13);
  v=100;
  CK(cudaGraphExecKernelNodeSetParams(x2,kn,&kp));
  CK(cudaGraphLaunch(x2,s));
  EXPECT(h[0]==113);
  cudaGraphNodeType ty;
  CK(cudaGraphNodeGetType(mn,&ty));
  EXPECT(ty==cudaGraphNodeTypeMemcpy);
  CK(cudaGraphExecDestroy(x2));
  CK(cudaGraphDestroy(g2));
  // texture
  cudaArray_t arr;
  cudaChannelFormatDesc cd=cudaCreateChannelDesc<float>();
  CK(cudaMallocArray(&arr,&cd,8,4));
  float img[32];
  for(int i=0;i<32;i++) img[i]=i;
  CK(cudaMemcpy2DToArray(arr,0,0,img,32,32,4,cudaMemcpyHostToDevice));
  cudaResourceDesc rd;
  memset(&rd,0,sizeof rd);
  rd.resType=cudaResourceTypeArray;
  rd.res.array.array=arr;
  cudaTextureDesc td;
  memset(&td,0,sizeof td);
  td.addressMode[0]=td.addressMode[1]=cudaAddressModeClamp;
  td.filterMode=cudaFilterModePoint;
  cudaTextureObject_t to;
  CK(cudaCreateTextureObject(&to,&rd,&td,nullptr));
  readTex<<<4,8>>>(to,d,8,4);
  CK(cudaMemcpy(h,d,128,cudaMemcpyDeviceToHost));
  EXPECT(h[9]==9 && h[31]==31);
  CK(cudaDestroyTextureObject(to));
  memset(&rd,0,sizeof rd);
  rd.resType=cudaResourceTypeLinear;
  rd.res.linear.devPtr=d;
  rd.res.linear.desc=cd;
  rd.res.linear.sizeInBytes=128;
  CK(cudaCreateTextureObject(&to,&rd,&td,nullptr));
  lin<<<1,32>>>(to,e,32);
  CK(cudaMemcpy(h,e,128,cudaMemcpyDeviceToHost));
  EXPECT(h[7]==7);
  memset(&rd,0,sizeof rd);
  rd.resType=cudaResourceTypeArray;
  rd.res.array.array=arr;
  cudaSurfaceObject_t so;
  CK(cudaCreateSurfaceObject(&so,&rd));
  surf<<<1,8>>>(so,8);
  CK(cudaMemcpy2DFromArray(img,32,arr,0,0,32,1,cudaMemcpyDeviceToHost));
  EXPECT(img[3]==103);
  // managed variable, pinned mapped, registered
  EXPECT(mg==7);
  incm<<<1,1>>>();
  CK(cudaDeviceSynchronize());
  EXPECT(mg==8);
  float* hp;
  CK(cudaHostAlloc(&hp,64,cudaHostAllocMapped));
  hp[0]=1;
  float* dp;
  CK(cudaHostGetDevicePointer(&dp,hp,0));
  addk<<<1,1>>>(dp,5,1);
  CK(cudaDeviceSynchronize());
  EXPECT(hp[0]==6);
  addk<<<1,1>>>(hp,5,1);
  CK(cudaDeviceSynchronize());
  EXPECT(hp[0]==11);
  float* mp;
  CK(cudaMallocHost(&mp,64));
  mp[0]=1;
  addk<<<1,1>>>(mp,5,1);
  CK(cudaDeviceSynchronize());
  EXPECT(mp[0]==6);
  float reg[4]={1,2,3,4};
  CK(cudaHostRegister(reg,sizeof reg,cudaHostRegisterMapped));
  CK(cudaHostGetDevicePointer(&dp,reg,0));
  addk<<<1,4>>>(dp,1,4);
  CK(cudaDeviceSynchronize());
  EXPECT(reg[3]==5);
  CK(cudaHostUnregister(reg));
  CK(cudaFreeHost(hp));
  CK(cudaFreeHost(mp));
  cudaPointerAttributes pa;
  CK(cudaPointerGetAttributes(&pa,d));
  EXPECT(pa.type==cudaMemoryTypeDevice);
  CK(cudaPointerGetAttributes(&pa,h));
  EXPECT(pa.type==cudaMemoryTypeUnregistered);
  // errors
  EXPECT(cudaMemcpy(d,h,n*4+4,cudaMemcpyHostToDevice)==cudaErrorInvalidValue);
  EXPECT(cudaGetLastError()==cudaErrorInvalidValue);
  EXPECT(cudaGetLastError()==cudaSuccess);
  EXPECT(cudaFree(h)==cudaErrorInvalidValue);
  cudaGetLastError();
  const size_t tooMuch = sizeof(size_t)==8 ? (size_t)1<<(sizeof(size_t)*8-16) : 0xf0000000u; // no GPU has it
  EXPECT(cudaMalloc(&dp,tooMuch)==cudaErrorMemoryAllocation);
  EXPECT(cudaGetLastError()==cudaErrorMemoryAllocation);
  EXPECT(cudaSetDevice(9)==cudaErrorInvalidDevice);
  cudaGetLastError();
  cudaPitchedPtr pp;
  CK(cudaMalloc3D(&pp,make_cudaExtent(100,10,3)));
  EXPECT(pp.pitch==512);
  CK(cudaMemset3D(pp,1,make_cudaExtent(100,10,3)));
  unsigned char vol[3000];
  cudaMemcpy3DParms cp={};
  cp.srcPtr=pp;
  cp.dstPtr=make_cudaPitchedPtr(vol,100,100,10);
  cp.extent=make_cudaExtent(100,10,3);
  cp.kind=cudaMemcpyDeviceToHost;
  CK(cudaMemcpy3D(&cp));
  EXPECT(vol[2999]==1);
  int nb;
  CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nb,addk,256,0));
  EXPECT(nb==8);
  int mg2,bs;
  CK(cudaOccupancyMaxPotentialBlockSize(&mg2,&bs,addk,0,0));
  EXPECT(bs==1024);
  cudaFuncAttributes fa;
  CK(cudaFuncGetAttributes(&fa,addk));
  EXPECT(fa.maxThreadsPerBlock==1024);
  addk<<<1,32,100000>>>(d,1,1);
  EXPECT(cudaGetLastError()==cudaErrorInvalidValue);
  CK(cudaFuncSetAttribute(addk,cudaFuncAttributeMaxDynamicSharedMemorySize,100000));
  addk<<<1,32,100000>>>(d,1,1);
  CK(cudaGetLastError());
  CK(cudaDeviceReset());
  printf(fails?"FAILED %d\n":"PASSED\n",fails);
  return fails!=0;
}
