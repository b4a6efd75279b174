// cuBLAS and cuBLASLt against sums in double: products in all transpositions, batches in bfloat16, level 1 and 2, triangles, epilogues.
#include <cublas_v2.h>
#include <cublasLt.h>
#include <cstdio>
#include <cmath>
#include <cstdlib>
#include <vector>
template<class T> T* up(const std::vector<T>& v){ T*d; cudaMalloc(&d, v.size()*sizeof(T)); cudaMemcpy(d, v.data(), v.size()*sizeof(T), cudaMemcpyHostToDevice); return d; }
template<class T> std::vector<T> down(T*d, size_t n){ std::vector<T> v(n); cudaMemcpy(v.data(), d, n*sizeof(T), cudaMemcpyDeviceToHost); return v; }
static float rnd(){ return (rand()%2001-1000)/1000.0f; }
int main(){
  cublasHandle_t h; cublasCreate(&h);
  int fails=0;
  for (int ta=0; ta<2; ta++) for (int tb=0; tb<2; tb++) for (int t=0; t<2; t++) {
    int m=37+t*100, n=19+t*3, k=23; int lda=(ta?k:m)+2, ldb=(tb?n:k)+1, ldc=m+3;
    std::vector<float> A(lda*(ta?m:k)), B(ldb*(tb?k:n)), C(ldc*n); for(auto&x:A)x=rnd(); for(auto&x:B)x=rnd(); for(auto&x:C)x=rnd();
    float al=1.5f, be=t?0.5f:0.0f; auto dA=up(A), dB=up(B), dC=up(C);
    cublasStatus_t s=cublasSgemm(h,(cublasOperation_t)ta,(cublasOperation_t)tb,m,n,k,&al,dA,lda,dB,ldb,&be,dC,ldc);
    auto R=down(dC,C.size()); double e=0;
    for(int i=0;i<m;i++)for(int j=0;j<n;j++){ double sum=0; for(int l=0;l<k;l++) sum+=(double)(ta?A[l+i*lda]:A[i+l*lda])*(tb?B[j+l*ldb]:B[l+j*ldb]); double want=al*sum+(be?be*C[i+j*ldc]:0); e=fmax(e,fabs(want-R[i+j*ldc])); }
    printf("gemm %d%d %d: status %d err %.2g\n",ta,tb,t,s,e); if(e>1e-5)fails++;
  }
  // batched bf16
  { int m=16,n=8,k=12,cnt=5; std::vector<__nv_bfloat16> A(m*k*cnt),B(k*n*cnt),C(m*n*cnt); for(auto&x:A)x=__float2bfloat16(rnd()); for(auto&x:B)x=__float2bfloat16(rnd());
    auto dA=up(A),dB=up(B),dC=up(C); float al=1,be=0;
    cublasStatus_t s=cublasGemmStridedBatchedEx(h,CUBLAS_OP_N,CUBLAS_OP_N,m,n,k,&al,dA,CUDA_R_16BF,m,m*k,dB,CUDA_R_16BF,k,k*n,&be,dC,CUDA_R_16BF,m,m*n,cnt,CUBLAS_COMPUTE_32F,CUBLAS_GEMM_DEFAULT);
    auto R=down(dC,C.size()); double e=0; for(int b=0;b<cnt;b++)for(int i=0;i<m;i++)for(int j=0;j<n;j++){double sum=0;for(int l=0;l<k;l++)sum+=(double)__bfloat162float(A[b*m*k+i+l*m])*__bfloat162float(B[b*k*n+l+j*k]); e=fmax(e,fabs(sum-__bfloat162float(R[b*m*n+i+j*m]))/(1+fabs(sum)));}
    printf("bf16 status %d err %.2g\n",s,e); if(e>4e-3)fails++; }
  // level 1
  { int n=1000; std::vector<float> x(n),y(n); for(auto&v:x)v=rnd(); for(auto&v:y)v=rnd(); auto dx=up(x),dy=up(y); float r; cublasSdot(h,n,dx,1,dy,1,&r); double want=0; for(int i=0;i<n;i++)want+=(double)x[i]*y[i]; printf("dot %g %g\n",r,want); if(fabs(r-want)>1e-4)fails++;
    int idx; cublasIsamax(h,n,dx,1,&idx); int wi=0; for(int i=1;i<n;i++) if(fabs(x[i])>fabs(x[wi])) wi=i; printf("amax %d %d\n",idx,wi+1); if(idx!=wi+1)fails++;
    float nr; cublasSnrm2(h,n,dx,1,&nr); double w=0; for(auto v:x)w+=(double)v*v; if(fabs(nr-sqrt(w))>1e-4)fails++;
    float al=2; cublasSaxpy(h,n,&al,dx,1,dy,1); auto Y=down(dy,n); for(int i=0;i<n;i++) if(fabs(Y[i]-(y[i]+2*x[i]))>1e-5){fails++;break;} }
  // gemv + trsm
  { int m=50,n=30; std::vector<float>A(m*n),x(m),y(n,0); for(auto&v:A)v=rnd(); for(auto&v:x)v=rnd(); auto dA=up(A),dx=up(x),dy=up(y); float al=1,be=0; cublasSgemv(h,CUBLAS_OP_T,m,n,&al,dA,m,dx,1,&be,dy,1); auto Y=down(dy,n); double e=0; for(int j=0;j<n;j++){double s=0; for(int i=0;i<m;i++)s+=(double)A[i+j*m]*x[i]; e=fmax(e,fabs(s-Y[j]));} printf("gemv err %.2g\n",e); if(e>1e-5)fails++; 
    int q=20; std::vector<float>L(q*q),Bm(q*4); for(int j=0;j<q;j++)for(int i=0;i<q;i++)L[i+j*q]=i==j?3:rnd()*0.3f; for(auto&v:Bm)v=rnd(); auto dL=up(L),dB=up(Bm); cublasStrsm(h,CUBLAS_SIDE_LEFT,CUBLAS_FILL_MODE_LOWER,CUBLAS_OP_T,CUBLAS_DIAG_NON_UNIT,q,4,&al,dL,q,dB,q); cublasStrmm(h,CUBLAS_SIDE_LEFT,CUBLAS_FILL_MODE_LOWER,CUBLAS_OP_T,CUBLAS_DIAG_NON_UNIT,q,4,&al,dL,q,dB,q,dB,q); auto Z=down(dB,q*4); e=0; for(int i=0;i<q*4;i++)e=fmax(e,fabs(Z[i]-Bm[i])); printf("trsm/trmm err %.2g\n",e); if(e>1e-5)fails++; }
  // Lt with bias + gelu
  { int m=64,n=20,k=33; std::vector<float>A(k*m),B(k*n),bias(m),D(m*n),aux(m*n); for(auto&v:A)v=rnd(); for(auto&v:B)v=rnd(); for(auto&v:bias)v=rnd(); auto dA=up(A),dB=up(B),db=up(bias),dD=up(D),dx=up(aux);
    cublasLtHandle_t lt; cublasLtCreate(&lt); cublasLtMatmulDesc_t op; cublasLtMatmulDescCreate(&op,CUBLAS_COMPUTE_32F,CUDA_R_32F); cublasOperation_t T=CUBLAS_OP_T,N=CUBLAS_OP_N; cublasLtEpilogue_t ep=CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
    cublasLtMatmulDescSetAttribute(op,CUBLASLT_MATMUL_DESC_TRANSA,&T,sizeof T); cublasLtMatmulDescSetAttribute(op,CUBLASLT_MATMUL_DESC_TRANSB,&N,sizeof N); cublasLtMatmulDescSetAttribute(op,CUBLASLT_MATMUL_DESC_EPILOGUE,&ep,sizeof ep); cublasLtMatmulDescSetAttribute(op,CUBLASLT_MATMUL_DESC_BIAS_POINTER,&db,sizeof db); cublasLtMatmulDescSetAttribute(op,CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER,&dx,sizeof dx); int64_t ld=m; cublasLtMatmulDescSetAttribute(op,CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD,&ld,sizeof ld);
    cublasLtMatrixLayout_t la,lb,ld_; cublasLtMatrixLayoutCreate(&la,CUDA_R_32F,k,m,k); cublasLtMatrixLayoutCreate(&lb,CUDA_R_32F,k,n,k); cublasLtMatrixLayoutCreate(&ld_,CUDA_R_32F,m,n,m);
    float al=1,be=0; cublasStatus_t s=cublasLtMatmul(lt,op,&al,dA,la,dB,lb,&be,dD,ld_,dD,ld_,nullptr,nullptr,0,0); auto R=down(dD,m*n); auto X=down(dx,m*n); double e=0;
    for(int i=0;i<m;i++)for(int j=0;j<n;j++){double x=bias[i];for(int l=0;l<k;l++)x+=(double)A[l+i*k]*B[l+j*k]; double g=0.5*x*(1+tanh(sqrt(2/M_PI)*(x+0.044715*x*x*x))); e=fmax(e,fabs(g-R[i+j*m])); e=fmax(e,fabs(x-X[i+j*m]));} printf("lt status %d err %.2g\n",s,e); if(e>1e-5)fails++; }
  printf("%s\n", fails?"FAILED":"PASSED"); return fails;
}
