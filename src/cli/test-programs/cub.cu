// cub: collectives of warps and blocks, algorithms over whole arrays.
#include <cub/cub.cuh>
#include <cstdio>
#include <vector>
#include <algorithm>
static int failures = 0;
#define CK(x) if (!(x)) printf("line %d: %s\n", __LINE__, #x), failures++
template<int B,int I> __global__ void bk(const int*in,int*sum,int*scan,int*sorted,int*valid,int nv){
  typedef cub::BlockReduce<int,B> BR;
  typedef cub::BlockScan<int,B> BS;
  typedef cub::BlockRadixSort<int,B,I> RS;
  typedef cub::BlockLoad<int,B,I,cub::BLOCK_LOAD_WARP_TRANSPOSE> BL;
  typedef cub::BlockStore<int,B,I> ST;
  __shared__ union {
    typename BR::TempStorage r;
    typename BS::TempStorage s;
    typename RS::TempStorage t;
    typename BL::TempStorage l;
  } tmp;
  int v[I],w[I];
  BL(tmp.l).Load(in,v);
  int s=BR(tmp.r).Sum(v);
  if(threadIdx.x==0)*sum=s;
  __syncthreads();
  int m=BR(tmp.r).Reduce(v[0],cub::Max(),nv);
  if(threadIdx.x==0)*valid=m;
  __syncthreads();
  BS(tmp.s).ExclusiveSum(v,w);
  __syncthreads();
  ST().Store(scan,w);
  RS(tmp.t).Sort(v);
  ST().Store(sorted,v);
}
__global__ void wk(const float*in,float*o){
  typedef cub::WarpReduce<float> W;
  __shared__ W::TempStorage t[4];
  int w=threadIdx.x/32;
  float s=W(t[w]).Sum(in[threadIdx.x]);
  if(threadIdx.x%32==0) o[w]=s;
  typedef cub::WarpScan<float> S;
  __shared__ S::TempStorage u[4];
  float r;
  S(u[w]).InclusiveSum(in[threadIdx.x],r);
  o[4+threadIdx.x]=r;
}
struct even{
  __host__ __device__ bool operator()(int x) const {
    return x%2==0;
  }
};
template<int B,int I> __global__ void ad(const int*in,int*left,int*right,int*part){
  typedef cub::BlockAdjacentDifference<int,B> AD;
  __shared__ typename AD::TempStorage tmp;
  int v[I],w[I];
  for(int i=0;i<I;i++) v[i]=in[threadIdx.x*I+i];
  AD(tmp).SubtractLeft(v,w,cub::Difference());
  for(int i=0;i<I;i++) left[threadIdx.x*I+i]=w[i];
  __syncthreads();
  AD(tmp).SubtractRight(v,w,cub::Difference(),1000);
  for(int i=0;i<I;i++) right[threadIdx.x*I+i]=w[i];
  __syncthreads();
  AD(tmp).SubtractLeftPartialTile(v,v,cub::Difference(),B*I-5,7);
  for(int i=0;i<I;i++) part[threadIdx.x*I+i]=v[i];
}
void adjacent(){
  const int B=64,I=3,n=B*I;
  std::vector<int> in(n),left(n),right(n),part(n);
  for(int i=0;i<n;i++) in[i]=i*i%37;
  int *d,*l,*r,*p;
  cudaMalloc(&d,n*4); cudaMalloc(&l,n*4); cudaMalloc(&r,n*4); cudaMalloc(&p,n*4);
  cudaMemcpy(d,in.data(),n*4,cudaMemcpyHostToDevice);
  ad<B,I><<<1,B>>>(d,l,r,p);
  cudaMemcpy(left.data(),l,n*4,cudaMemcpyDeviceToHost);
  cudaMemcpy(right.data(),r,n*4,cudaMemcpyDeviceToHost);
  cudaMemcpy(part.data(),p,n*4,cudaMemcpyDeviceToHost);
  bool same=true;
  for(int i=0;i<n;i++){
    same=same && left[i]==(i==0?in[0]:in[i]-in[i-1]);
    same=same && right[i]==(i==n-1?in[i]-1000:in[i]-in[i+1]);
    same=same && part[i]==(i>=n-5?in[i]:in[i]-(i==0?7:in[i-1]));
  }
  CK(same);
  cudaFree(d); cudaFree(l); cudaFree(r); cudaFree(p);
}
int main(){
  adjacent();
  const int B=96,I=5,N=B*I;
  int*in,*sum,*scan,*sorted,*valid;
  cudaMallocManaged(&in,N*4);
  cudaMallocManaged(&sum,4);
  cudaMallocManaged(&valid,4);
  cudaMallocManaged(&scan,N*4);
  cudaMallocManaged(&sorted,N*4);
  std::vector<int> h(N);
  for(int i=0;i<N;i++) in[i]=h[i]=(i*7919)%1009-500;
  bk<B,I><<<1,B>>>(in,sum,scan,sorted,valid,70);
  CK(cudaDeviceSynchronize()==cudaSuccess);
  int a=0;
  bool ok=true;
  for(int i=0;i<N;i++){
    ok&=scan[i]==a;
    a+=h[i];
  }
  CK(ok);
  CK(*sum==a);
  int mx=-1000;
  for(int t=0;t<70;t++) mx=std::max(mx,h[t*I]);
  CK(*valid==mx);
  std::sort(h.begin(),h.end());
  CK(std::equal(h.begin(),h.end(),sorted));
  float*f,*fo;
  cudaMallocManaged(&f,512);
  cudaMallocManaged(&fo,1024);
  for(int i=0;i<128;i++)f[i]=i;
  wk<<<1,128>>>(f,fo);
  cudaDeviceSynchronize();
  CK(fo[1]==1520);
  CK(fo[4+40]==32*9+36);
  void*t=0;
  size_t b=0;
  int*out,*cnt;
  cudaMallocManaged(&out,N*4);
  cudaMallocManaged(&cnt,4);
  cub::DeviceReduce::Sum(t,b,in,out,N);
  cudaMalloc(&t,b);
  cub::DeviceReduce::Sum(t,b,in,out,N);
  CK(*out==a);
  cub::DeviceReduce::Max(t,b,in,out,N);
  CK(*out==h[N-1]);
  cub::DeviceScan::InclusiveSum(t,b,in,out,N);
  CK(out[N-1]==a);
  cub::DeviceRadixSort::SortKeys(t,b,in,out,N);
  CK(std::equal(h.begin(),h.end(),out));
  cub::DeviceSelect::If(t,b,in,out,cnt,N,even());
  int c=0;
  for(int x:h) c+=x%2==0;
  CK(*cnt==c);
  float*fk,*fk2;
  int*v1,*v2;
  cudaMallocManaged(&fk,400);
  cudaMallocManaged(&fk2,400);
  cudaMallocManaged(&v1,400);
  cudaMallocManaged(&v2,400);
  for(int i=0;i<100;i++){
    fk[i]=((i*37)%100)-50.5f;
    v1[i]=i;
  }
  cub::DeviceRadixSort::SortPairsDescending(t,b,fk,fk2,v1,v2,100);
  ok=true;
  for(int i=0;i<100;i++) ok&=fk2[i]==49-i-.5f && fk[v2[i]]==fk2[i];
  CK(ok);
  cub::KeyValuePair<int,int>*kv;
  cudaMallocManaged(&kv,8);
  cub::DeviceReduce::ArgMin(t,b,in,kv,N);
  CK(kv->value==h[0]&&in[kv->key]==h[0]);
  int*bins;
  cudaMallocManaged(&bins,40);
  cub::DeviceHistogram::HistogramEven(t,b,in,bins,11,-500,500,N);
  int tot=0;
  for(int i=0;i<10;i++)tot+=bins[i];
  CK(tot==N-(int)std::count_if(h.begin(),h.end(),[](int x){return x>=500;}));
  puts(failures ? "FAILED" : "PASSED");
  return failures != 0;
}
