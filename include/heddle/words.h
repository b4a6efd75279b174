/* Warp shuffles and matches of any trivially copyable type, 32 bits at a time. */
#pragma once

namespace __heddle {

template <typename T>
struct words {
  static constexpr int count = (sizeof(T) + 3) / 4;
  unsigned word[count];
};
template <typename T>
__attribute__((device)) inline __attribute__((always_inline)) words<T> to_words(const T &value) {
  words<T> result;
  if (sizeof(T) % 4) result.word[words<T>::count - 1] = 0;
  __builtin_memcpy(result.word, &value, sizeof(T));
  return result;
}
template <typename T>
__attribute__((device)) inline __attribute__((always_inline)) T from_words(const words<T> &value) {
  T result;
  __builtin_memcpy((void *)&result, value.word, sizeof(T));
  return result;
}

#define __HEDDLE_SHUFFLE(name, builtin, lane_type)                                                                 \
  template <typename T>                                                                                            \
  __attribute__((device)) inline __attribute__((always_inline)) T name(unsigned mask, T value, lane_type lane,     \
                                                                       int width = 32) {                           \
    words<T> w = to_words(value);                                                                                  \
    _Pragma("unroll") for (int i = 0; i < words<T>::count; ++i) w.word[i] = builtin(mask, w.word[i], lane, width); \
    return from_words<T>(w);                                                                                       \
  }
__HEDDLE_SHUFFLE(shuffle, __shfl_sync, int)
__HEDDLE_SHUFFLE(shuffle_up, __shfl_up_sync, unsigned)
__HEDDLE_SHUFFLE(shuffle_down, __shfl_down_sync, unsigned)
__HEDDLE_SHUFFLE(shuffle_xor, __shfl_xor_sync, int)
#undef __HEDDLE_SHUFFLE

/** The lanes of `mask` whose value has the same bits. */
template <typename T>
__attribute__((device)) inline __attribute__((always_inline)) unsigned match_any(unsigned mask, T value) {
  const words<T> w = to_words(value);
  unsigned result = mask;
  _Pragma("unroll") for (int i = 0; i < words<T>::count; ++i) result &= __match_any_sync(mask, w.word[i]);
  return result;
}

}  // namespace __heddle
