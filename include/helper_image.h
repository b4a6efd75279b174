/* Images and comparisons of the CUDA samples: binary PGM (P5) and PPM (P6) files, lists of numbers, tolerances. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "helper_string.h"

#ifndef MIN
#define MIN(a, b) ((a < b) ? a : b)
#endif
#ifndef MAX
#define MAX(a, b) ((a > b) ? a : b)
#endif

/** Reads P5 or P6 into *data (allocated where it is null). */
inline bool __loadPPM(const char* path, unsigned char** data, unsigned int* width, unsigned int* height,
                      unsigned int* channels) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    std::cerr << "__LoadPPM() : Failed to open file: " << path << std::endl;
    return false;
  }
  char magic[3] = {0};
  unsigned numbers[3] = {0, 0, 0};
  bool ok = fread(magic, 1, 2, file) == 2 && (strcmp(magic, "P5") == 0 || strcmp(magic, "P6") == 0);
  for (int n = 0; ok && n < 3;) {
    const int c = fgetc(file);
    if (c == EOF) ok = false;
    else if (c == '#') {
      for (int d = c; d != '\n' && d != EOF;) d = fgetc(file);
    } else if (c >= '0' && c <= '9') {
      ungetc(c, file);
      ok = fscanf(file, "%u", &numbers[n++]) == 1;
    }
  }
  if (ok) {
    fgetc(file); /* the one white space before the pixels */
    *channels = magic[1] == '5' ? 1 : 3;
    if (*data != NULL && (*width != numbers[0] || *height != numbers[1]))
      std::cerr << "__LoadPPM() : Invalid image dimensions." << std::endl;
    *width = numbers[0];
    *height = numbers[1];
    const size_t bytes = (size_t)*width * *height * *channels;
    if (*data == NULL) *data = (unsigned char *)malloc(bytes);
    ok = fread(*data, 1, bytes, file) == bytes;
  } else std::cerr << "__LoadPPM() : File is not a PPM or PGM image" << std::endl;
  fclose(file);
  return ok;
}
inline bool __savePPM(const char* path, unsigned char* data, unsigned int width, unsigned int height,
                      unsigned int channels) {
  std::ofstream file(path, std::ios::binary);
  if (!file) {
    std::cerr << "__savePPM() : Opening file failed." << std::endl;
    return false;
  }
  file << (channels == 1 ? "P5" : "P6") << "\n" << width << "\n" << height << "\n" << 255 << "\n";
  file.write((const char *)data, (std::streamsize)((size_t)width * height * channels));
  return (bool)file;
}

template <class T>
inline T __heddleFromByte(unsigned char value) { return (T)(value / 255.0f); }
template <>
inline unsigned char __heddleFromByte<unsigned char>(unsigned char value) { return value; }
template <class T>
inline unsigned char __heddleToByte(T value) { return (unsigned char)(value * 255.0f); }
template <>
inline unsigned char __heddleToByte<unsigned char>(unsigned char value) { return value; }

template <class T>
inline bool sdkLoadPGM(const char *path, T **data, unsigned int *width, unsigned int *height) {
  unsigned char *bytes = NULL;
  unsigned int channels = 0, w = 0, h = 0;
  if (!__loadPPM(path, &bytes, &w, &h, &channels)) return false;
  *width = w;
  *height = h;
  const size_t count = (size_t)w * h * channels;
  if (*data == NULL) *data = (T *)malloc(sizeof(T) * count);
  for (size_t i = 0; i < count; i++) (*data)[i] = __heddleFromByte<T>(bytes[i]);
  free(bytes);
  return true;
}
template <class T>
inline bool sdkLoadPPM4(const char *path, T **data, unsigned int *width, unsigned int *height) {
  unsigned char *bytes = NULL;
  unsigned int channels = 0;
  if (!__loadPPM(path, &bytes, width, height, &channels) || channels != 3) return false;
  const size_t count = (size_t)*width * *height;
  *data = (T *)malloc(sizeof(T) * count * 4);
  for (size_t i = 0; i < count; i++)
    for (int k = 0; k < 4; k++) (*data)[4 * i + k] = k < 3 ? (T)bytes[3 * i + k] : (T)0;
  free(bytes);
  return true;
}
inline bool sdkLoadPPM4ub(const char* path, unsigned char** data, unsigned int* width, unsigned int* height) {
  return sdkLoadPPM4(path, data, width, height);
}
template <class T>
inline bool sdkSavePGM(const char *path, T *data, unsigned int width, unsigned int height) {
  std::vector<unsigned char> bytes((size_t)width * height);
  for (size_t i = 0; i < bytes.size(); i++) bytes[i] = __heddleToByte<T>(data[i]);
  return __savePPM(path, bytes.data(), width, height, 1);
}
inline bool sdkSavePPM4ub(const char *path, unsigned char *data, unsigned int width, unsigned int height) {
  std::vector<unsigned char> bytes((size_t)width * height * 3);
  for (size_t i = 0; i < (size_t)width * height; i++)
    for (int k = 0; k < 3; k++) bytes[3 * i + k] = data[4 * i + k];
  return __savePPM(path, bytes.data(), width, height, 3);
}

template <class T>
inline bool sdkReadFile(const char *path, T **data, unsigned int *length, bool) {
  std::ifstream file(path);
  if (!file) return false;
  std::vector<T> values;
  for (T value; file >> value;) values.push_back(value);
  if (*data == NULL) *data = (T *)malloc(sizeof(T) * values.size());
  std::copy(values.begin(), values.end(), *data);
  *length = (unsigned int)values.size();
  return true;
}
template <class T, class S>
inline bool sdkWriteFile(const char* path, const T* data, unsigned int length, const S epsilon, bool,
                         bool append = false) {
  std::ofstream file(path, append ? std::ios::app : std::ios::out);
  if (!file) return false;
  if (!append) file << "# " << epsilon << "\n";
  for (unsigned int i = 0; i < length; i++) file << data[i] << ' ';
  file << "\n";
  return (bool)file;
}

/** Whether at most `threshold` (a share) of the elements differ by more than epsilon. */
template <class T, class S>
inline bool compareData(const T* reference, const T* data, const unsigned int length, const S epsilon,
                        const float threshold) {
  unsigned int errors = 0;
  for (unsigned int i = 0; i < length; i++) {
    const float difference = (float)reference[i] - (float)data[i];
    if (!(difference <= epsilon && difference >= -epsilon)) errors++;
  }
  return threshold == 0.0f ? errors == 0 : (float)length * threshold > (float)errors;
}
inline bool sdkCompareL2fe(const float *reference, const float *data, const unsigned int length, const float epsilon) {
  float error = 0, norm = 0;
  for (unsigned int i = 0; i < length; i++) {
    error += (reference[i] - data[i]) * (reference[i] - data[i]);
    norm += reference[i] * reference[i];
  }
  if (fabsf(sqrtf(norm)) < 1e-7f) return false;
  return sqrtf(error) / sqrtf(norm) < epsilon;
}
inline bool __heddleCompareFiles(const char* path, const char* reference, const float epsilon, const float threshold,
                                 bool verbose) {
  unsigned char *a = NULL, *b = NULL;
  unsigned int w = 0, h = 0, c = 0, w2 = 0, h2 = 0, c2 = 0;
  if (!__loadPPM(path, &a, &w, &h, &c) || !__loadPPM(reference, &b, &w2, &h2, &c2)) return false;
  const bool ok = w == w2 && h == h2 && c == c2 && compareData(b, a, w * h * c, epsilon, threshold);
  if (verbose) std::cout << (ok ? "     OK" : "     FAILURE") << std::endl;
  free(a);
  free(b);
  return ok;
}
inline bool sdkComparePPM(const char* path, const char* reference, const float epsilon, const float threshold,
                          bool verbose) {
  return __heddleCompareFiles(path, reference, epsilon, threshold, verbose);
}
inline bool sdkComparePGM(const char* path, const char* reference, const float epsilon, const float threshold,
                          bool verbose) {
  return __heddleCompareFiles(path, reference, epsilon, threshold, verbose);
}
template <class T>
inline bool __heddleCompareBinary(const char* path, const char* reference, unsigned int count, const float epsilon,
                                  const float threshold) {
  std::vector<T> a(count), b(count);
  std::ifstream first(path, std::ios::binary), second(reference, std::ios::binary);
  first.read((char *)a.data(), (std::streamsize)(count * sizeof(T)));
  second.read((char *)b.data(), (std::streamsize)(count * sizeof(T)));
  return first && second && compareData(b.data(), a.data(), count, epsilon, threshold);
}
inline bool sdkCompareBin2BinFloat(const char* path, const char* reference, unsigned int count, const float epsilon,
                                   const float threshold, char*) {
  return __heddleCompareBinary<float>(path, reference, count, epsilon, threshold);
}
inline bool sdkCompareBin2BinUint(const char* path, const char* reference, unsigned int count, const float epsilon,
                                  const float threshold, char*) {
  return __heddleCompareBinary<unsigned int>(path, reference, count, epsilon, threshold);
}
