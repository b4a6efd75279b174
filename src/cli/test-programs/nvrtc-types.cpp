// What of NVRTC is no compilation: names of types, precompiled headers, and a callback that cancels.
#include <nvrtc.h>
#include <cstdio>
#include <cstring>
template <class T> struct box {};
static int asked = 0;
static int cancel(void *payload, void *) { asked++; return *(int *)payload; }
int main() {
  std::string s; int bad = 0;
  auto is = [&](bool ok, const char *what) { if (!ok) printf("wrong: %s (%s)\n", what, s.c_str()), bad++; };
  is(nvrtcGetTypeName<float>(&s) == NVRTC_SUCCESS && s == "float", "float");
  is(nvrtcGetTypeName<const int &>(&s) == NVRTC_SUCCESS && s == "int const&", "const int &");
  is(nvrtcGetTypeName<box<unsigned *>>(&s) == NVRTC_SUCCESS && s == "box<unsigned int*>", "box");
  is(nvrtcGetTypeName(typeid(double), &s) == NVRTC_SUCCESS && s == "double", "typeid");
  is(nvrtcGetTypeName(typeid(double), nullptr) == NVRTC_ERROR_INVALID_INPUT, "null");
  nvrtcProgram p; size_t bytes = 0;
  const char *code = "extern \"C\" __global__ void k(int *x) { *x = 1; }";
  is(nvrtcCreateProgram(&p, code, "k.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS, "create");
  is(nvrtcGetPCHHeapSize(&bytes) == NVRTC_SUCCESS && bytes == 256u << 20, "heap");
  is(nvrtcSetPCHHeapSize(1000) == NVRTC_SUCCESS, "heap set");
  is(nvrtcGetPCHHeapSize(&bytes) == NVRTC_SUCCESS && bytes == 1000, "heap as set");
  is(nvrtcGetPCHCreateStatus(p) == NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED, "pch status");
  int answer = 1;
  is(nvrtcSetFlowCallback(p, cancel, &answer) == NVRTC_SUCCESS, "flow");
  is(nvrtcCompileProgram(p, 0, nullptr) == NVRTC_ERROR_CANCELLED && asked == 1, "cancelled");
  answer = 0;
  is(nvrtcCompileProgram(p, 0, nullptr) == NVRTC_SUCCESS && asked == 2, "goes on");
  is(!strcmp(nvrtcGetErrorString(NVRTC_ERROR_CANCELLED), "NVRTC_ERROR_CANCELLED"), "text");
  nvrtcDestroyProgram(&p);
  printf(bad ? "FAILED\n" : "PASSED\n");
}
