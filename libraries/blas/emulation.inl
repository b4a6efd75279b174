// What a program sets of the emulation of floating-point numbers by integers: it is kept and returned. Products have
// the accuracy of the types, so that nothing is emulated. Included by cublas.cu.

namespace {
struct LtEmulation { int strategy, specialValues, mantissaControl, mostBits, bitOffset; int *bitCount; };
static_assert(sizeof(LtEmulation) <= sizeof(cublasLtEmulationDescOpaque_t), "it lives in the opaque structure");
LtEmulation &lt(cublasLtEmulationDesc_t desc) { return *(LtEmulation *)desc; }
Field field_of(LtEmulation &e, int attribute) {
  int *places[] = {&e.strategy, &e.specialValues, &e.mantissaControl, &e.mostBits, &e.bitOffset};
  if (attribute == CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_BIT_COUNT_POINTER)
    return {&e.bitCount, sizeof e.bitCount};
  if (attribute < 0 || attribute > 4) return {nullptr, 0};
  return {places[attribute], 4};
}
} // namespace

extern "C" {

#define HEDDLE_EMULATION(NAME, TYPE, FIELD, IS_VALID)                  \
  cublasStatus_t cublasSet##NAME(cublasHandle_t h, TYPE value) {       \
    NEED_HANDLE                                                        \
    VALID(IS_VALID)                                                    \
    h->emulation.FIELD = value;                                        \
    return CUBLAS_STATUS_SUCCESS;                                      \
  }                                                                    \
  cublasStatus_t cublasGet##NAME(cublasHandle_t h, TYPE *value) {      \
    NEED_HANDLE                                                        \
    VALID(value)                                                       \
    *value = h->emulation.FIELD;                                       \
    return CUBLAS_STATUS_SUCCESS;                                      \
  }
HEDDLE_EMULATION(EmulationStrategy, cublasEmulationStrategy_t, strategy, (unsigned)value <= 2)
HEDDLE_EMULATION(EmulationSpecialValuesSupport, cudaEmulationSpecialValuesSupport, specialValues, true)
HEDDLE_EMULATION(FixedPointEmulationMantissaControl, cudaEmulationMantissaControl, mantissaControl,
                 value == CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC || value == CUDA_EMULATION_MANTISSA_CONTROL_FIXED)
HEDDLE_EMULATION(FixedPointEmulationMaxMantissaBitCount, int, mostBits, value >= 0)
HEDDLE_EMULATION(FixedPointEmulationMantissaBitOffset, int, bitOffset, true)
HEDDLE_EMULATION(FixedPointEmulationMantissaBitCountPointer, int *, bitCount, true)
#undef HEDDLE_EMULATION

cublasStatus_t cublasLtEmulationDescInit_internal(cublasLtEmulationDesc_t desc, size_t bytes) {
  VALID(desc && bytes >= sizeof(LtEmulation))
  memset(desc, 0, bytes);
  lt(desc).specialValues = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtEmulationDescCreate(cublasLtEmulationDesc_t *desc) {
  VALID(desc)
  *desc = (cublasLtEmulationDesc_t)malloc(sizeof(cublasLtEmulationDescOpaque_t));
  if (!*desc) return CUBLAS_STATUS_ALLOC_FAILED;
  return cublasLtEmulationDescInit_internal(*desc, sizeof(cublasLtEmulationDescOpaque_t));
}
cublasStatus_t cublasLtEmulationDescDestroy(cublasLtEmulationDesc_t desc) {
  free(desc);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtEmulationDescSetAttribute(cublasLtEmulationDesc_t desc,
                                                 cublasLtEmulationDescAttributes_t attribute, const void *value,
                                                 size_t bytes) {
  VALID(desc && value)
  Field field = field_of(lt(desc), attribute);
  VALID(field.place && bytes >= field.bytes)
  memcpy(field.place, value, field.bytes);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtEmulationDescGetAttribute(cublasLtEmulationDesc_t desc,
                                                 cublasLtEmulationDescAttributes_t attribute, void *value, size_t bytes,
                                                 size_t *written) {
  VALID(desc && (value || bytes == 0) && (written || bytes > 0))
  Field field = field_of(lt(desc), attribute);
  VALID(field.place)
  if (written) *written = field.bytes;
  if (bytes == 0) return CUBLAS_STATUS_SUCCESS;
  VALID(bytes >= field.bytes)
  memcpy(value, field.place, field.bytes);
  return CUBLAS_STATUS_SUCCESS;
}
}
