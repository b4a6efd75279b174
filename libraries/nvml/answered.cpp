// The functions of NVML that have no code of their own: each is a row of include/heddle/nvml_functions.inc.
#include "answers.h"

using namespace heddle_nvml;

// Parameters from their types: (T0, T1) → (T0 v1, T1 v0), and the arguments alone.
#define PARAMETERS(...) HEDDLE_PICK(__VA_ARGS__, P7, P6, P5, P4, P3, P2, P1)(__VA_ARGS__)
#define ARGUMENTS(...) HEDDLE_PICK(__VA_ARGS__, A7, A6, A5, A4, A3, A2, A1)
#define HEDDLE_PICK(V0, V1, V2, V3, V4, V5, V6, PICKED, ...) PICKED
#define P1(T) T v0
#define P2(T, ...) T v1, P1(__VA_ARGS__)
#define P3(T, ...) T v2, P2(__VA_ARGS__)
#define P4(T, ...) T v3, P3(__VA_ARGS__)
#define P5(T, ...) T v4, P4(__VA_ARGS__)
#define P6(T, ...) T v5, P5(__VA_ARGS__)
#define P7(T, ...) T v6, P6(__VA_ARGS__)
#define A1 argument(v0)
#define A2 argument(v1), A1
#define A3 argument(v2), A2
#define A4 argument(v3), A3
#define A5 argument(v4), A4
#define A6 argument(v5), A5
#define A7 argument(v6), A6

#define ROW(KIND, NAME, ...)                                                                                           \
  nvmlReturn_t NAME(PARAMETERS(__VA_ARGS__)) {                                                                         \
    const Argument arguments[] = {ARGUMENTS(__VA_ARGS__)};                                                             \
    return answer(Answer::KIND, #NAME, arguments, sizeof arguments / sizeof *arguments);                               \
  }
#define ROW_OWN(...)
#define ROW_BOARD ROW
#define ROW_INVALID ROW
#define ROW_LIST ROW
#define ROW_NONE ROW
#define ROW_ROOT ROW
#define ROW_VGPU ROW
#define ROW_ZERO ROW
#define HEDDLE_NVML(KIND, NAME, ...) ROW_##KIND(KIND, NAME, __VA_ARGS__)
#include <heddle/nvml_functions.inc>
