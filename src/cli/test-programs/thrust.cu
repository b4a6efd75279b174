// Thrust: vectors, iterators, transforms, reductions, scans, sorts, selections, on device and host ranges.
#include <thrust/host_vector.h>
#include <thrust/device_vector.h>
#include <thrust/transform.h>
#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>
#include <thrust/sort.h>
#include <thrust/scan.h>
#include <thrust/fill.h>
#include <thrust/sequence.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/generate.h>
#include <thrust/random.h>
#include <thrust/complex.h>
#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/unique.h>
#include <thrust/partition.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <algorithm>
#include <numeric>
#include <iostream>
struct saxpy {
  float a;
  __host__ __device__ float operator()(const float&x,const float&y) const {
    return a*x+y;
  }
};
struct sq {
  __device__ float operator()(float x) const {
    return x*x;
  }
};
struct est {
  __host__ __device__ float operator()(unsigned t){
    thrust::default_random_engine r;
    r.discard(t*100);
    thrust::uniform_real_distribution<float> u(0,1);
    float s=0;
    for(int i=0;i<50;i++){
      float x=u(r),y=u(r);
      if(x*x+y*y<1) s+=1;
    }
    return s*4/50;
  }
};
struct dotf {
  template<class T> __host__ __device__ void operator()(T t) const {
    thrust::get<2>(t)=thrust::get<0>(t)*thrust::get<1>(t);
  }
};
struct even {
  __host__ __device__ bool operator()(int x) const {
    return x%2==0;
  }
};
static int failures = 0;
#define CK(x) if (!(x)) printf("line %d: %s\n", __LINE__, #x), failures++
int main(){
  thrust::host_vector<int> h(1000);
  for(int i=0;i<1000;i++) h[i]=(i*7919)%1009;
  thrust::device_vector<int> d=h;
  thrust::sort(d.begin(),d.end());
  thrust::host_vector<int> s=h;
  std::sort(s.begin(),s.end());
  thrust::host_vector<int> r=d;
  CK(r==s);
  CK(thrust::reduce(d.begin(),d.end())==std::accumulate(h.begin(),h.end(),0));
  CK(thrust::reduce(d.begin(),d.end(),0,thrust::maximum<int>())==s[999]);
  thrust::device_vector<float> X(100),Y(100,2.f);
  thrust::sequence(X.begin(),X.end());
  thrust::transform(X.begin(),X.end(),Y.begin(),Y.begin(),saxpy{2.f});
  CK(Y[10]==22.f);
  CK(thrust::transform_reduce(X.begin(),X.end(),sq(),0.f,thrust::plus<float>())==328350.f);
  thrust::exclusive_scan(d.begin(),d.end(),d.begin());
  r=d;
  {
    int a=0;
    bool ok=true;
    for(int i=0;i<1000;i++){
      ok&=r[i]==a;
      a+=s[i];
    }
    CK(ok);
  }
  thrust::device_vector<int> keys(500),vals(500);
  for(int i=0;i<500;i++){
    h[i]=(i*37)%10;
  }
  thrust::copy(h.begin(),h.begin()+500,keys.begin());
  thrust::sequence(vals.begin(),vals.end());
  thrust::sort_by_key(keys.begin(),keys.end(),vals.begin(),thrust::greater<int>());
  {
    thrust::host_vector<int> k=keys,v=vals;
    bool ok=true;
    for(int i=1;i<500;i++) ok&= k[i-1]>k[i] || (k[i-1]==k[i]&&v[i-1]<v[i]);
    CK(ok);
  }
  thrust::device_vector<int> ko(10),vo(10);
  auto e=thrust::reduce_by_key(keys.begin(),keys.end(),thrust::make_constant_iterator(1),ko.begin(),vo.begin());
  CK(e.first-ko.begin()==10);
  CK(vo[3]==50);
  CK(ko[0]==9);
  CK(thrust::count(keys.begin(),keys.end(),3)==50);
  CK(thrust::count_if(vals.begin(),vals.end(),even())==250);
  auto mx=thrust::max_element(vals.begin(),vals.end());
  CK(*mx==499);
  thrust::device_vector<float> Z(100);
  thrust::for_each(thrust::make_zip_iterator(thrust::make_tuple(X.begin(),Y.begin(),Z.begin())),thrust::make_zip_iterator(thrust::make_tuple(X.end(),Y.end(),Z.end())),dotf());
  CK(Z[3]==3*8.f);
  float pi=thrust::transform_reduce(thrust::counting_iterator<unsigned>(0),thrust::counting_iterator<unsigned>(200),est(),0.f,thrust::plus<float>())/200;
  float pd=thrust::transform_reduce(thrust::device,thrust::counting_iterator<unsigned>(0),thrust::counting_iterator<unsigned>(200),est(),0.f,thrust::plus<float>())/200;
  CK(fabs(pi-3.14)<0.1&&fabs(pi-pd)<1e-4);
  thrust::device_vector<int> sel(500);
  auto se=thrust::copy_if(vals.begin(),vals.end(),sel.begin(),even());
  CK(se-sel.begin()==250);
  auto ue=thrust::unique(keys.begin(),keys.end());
  CK(ue-keys.begin()==10);
  auto pe=thrust::partition(vals.begin(),vals.end(),even());
  CK(pe-vals.begin()==250);
  CK(thrust::inner_product(X.begin(),X.end(),X.begin(),0.f)==328350.f);
  thrust::device_vector<int> idx(3);
  idx[0]=5;
  idx[1]=7;
  idx[2]=9;
  auto p=thrust::make_permutation_iterator(X.begin(),idx.begin());
  CK(thrust::reduce(p,p+3)==21.f);
  auto ti=thrust::make_transform_iterator(X.begin(),thrust::negate<float>());
  CK(thrust::reduce(ti,ti+4)==-6.f);
  int*raw;
  cudaMalloc(&raw,400);
  thrust::device_ptr<int> dp(raw);
  thrust::fill(dp,dp+100,7);
  CK(thrust::reduce(thrust::device,raw,raw+100)==700);
  CK(dp[5]==7);
  thrust::sort(thrust::device,raw,raw+100);
  using namespace thrust::placeholders;
  thrust::transform(X.begin(),X.end(),Z.begin(),2.0f*_1+1.0f);
  CK(Z[4]==9.f);
  thrust::device_vector<int> q(4);
  thrust::lower_bound(vals.begin(),vals.begin(),idx.begin(),idx.end(),q.begin());
  CK(q[0]==0);
  thrust::device_vector<double> dd(100000);
  thrust::sequence(dd.begin(),dd.end(),0.0);
  thrust::transform(dd.begin(),dd.end(),dd.begin(),[]__device__(double x){return fmod(x*7919,100003);});
  thrust::sort(dd.begin(),dd.end());
  CK(thrust::is_sorted(dd.begin(),dd.end()));
  thrust::complex<float> c(1,2);
  c=c*c;
  CK(c.real()==-3);
  CK(*thrust::min_element(Z.begin(),Z.end())==1.f);
  puts(failures ? "FAILED" : "PASSED");
  return failures != 0;
}
