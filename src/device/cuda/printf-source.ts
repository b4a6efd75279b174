/**
 * Device printf for code that NVRTC compiles. The driver's printf writes to the process's standard output at times of
 * its own; here the output of a kernel belongs to its launch. The PTX calls this function instead of vprintf. It writes
 * the records of ptx/ptx-module.ts, with the sizes of 64-bit Linux.
 */
export const PRINTF_FUNCTION = "heddle_vprintf";
/** unsigned long long each: where the buffer is, and how many bytes it has. */
export const PRINTF_BASE = "heddle_printf_base";
export const PRINTF_BYTES = "heddle_printf_bytes";

export const PRINTF_SOURCE: string = `
extern "C" {
__device__ unsigned long long ${PRINTF_BASE};
__device__ unsigned long long ${PRINTF_BYTES};
}

namespace {

struct Reader {
  const char *at;
  unsigned end; // of the arguments that were passed by
};

__device__ unsigned argument(Reader &reader, unsigned bytes) {
  unsigned start = (reader.end + bytes - 1) / bytes * bytes;
  reader.end = start + bytes;
  return start;
}

__device__ bool isDigit(char c) { return c >= '0' && c <= '9'; }

// Moves past the next conversion with an argument. Returns its letter, 0 at the end of the format; where: the argument.
__device__ char next(Reader &reader, unsigned &where) {
  const char *at = reader.at;
  for (;;) {
    while (*at != 0 && *at != '%') at++;
    if (*at == 0) break;
    at++;
    while (*at == '-' || *at == '+' || *at == ' ' || *at == '#' || *at == '0') at++;
    if (*at == '*') argument(reader, 4), at++;
    else while (isDigit(*at)) at++;
    if (*at == '.') {
      at++;
      if (*at == '*') argument(reader, 4), at++;
      else while (isDigit(*at)) at++;
    }
    unsigned bytes = 4;
    for (; *at == 'h' || *at == 'l' || *at == 'j' || *at == 'z' || *at == 't' || *at == 'L' || *at == 'q'; at++)
      if (*at != 'h') bytes = 8;
    char letter = *at;
    if (letter == 0) break;
    at++;
    switch (letter) {
    case 'd': case 'i': case 'u': case 'x': case 'X': case 'o': case 'b': case 'B': break;
    case 'c': bytes = 4; break;
    case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': case 'a': case 'A': bytes = 8; break;
    case 's': case 'p': bytes = 8; break;
    default: continue;
    }
    where = argument(reader, bytes);
    reader.at = at;
    return letter;
  }
  reader.at = at;
  return 0;
}

__device__ unsigned length(const char *text) {
  unsigned n = 0;
  while (text[n] != 0) n++;
  return n + 1;
}

__device__ char *copy(char *to, const char *from, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++) to[i] = from[i];
  return to + bytes;
}

}

extern "C" __device__ int ${PRINTF_FUNCTION}(const char *format, const char *arguments) {
  Reader reader = {format, 0};
  unsigned where = 0, texts = 0;
  int count = 0;
  for (char letter; (letter = next(reader, where)) != 0; count++) {
    const char *text = letter == 's' ? *(const char *const *)(arguments + where) : 0;
    if (letter == 's') texts += text == 0 ? 1 : length(text);
  }
  unsigned argumentBytes = reader.end, padded = (argumentBytes + 7) / 8 * 8, formatBytes = length(format);
  unsigned total = (16 + padded + formatBytes + texts + 7) / 8 * 8;
  char *buffer = (char *)${PRINTF_BASE};
  unsigned long long capacity = ${PRINTF_BYTES} - 16;
  unsigned start = atomicAdd((unsigned *)buffer, total);
  if (start + (unsigned long long)total > capacity) return -1;
  char *record = buffer + 16 + start;
  ((unsigned *)record)[1] = formatBytes;
  ((unsigned *)record)[2] = argumentBytes;
  ((unsigned *)record)[3] = 0;
  char *to = copy(record + 16, arguments, argumentBytes);
  while (to < record + 16 + padded) *to++ = 0;
  to = copy(to, format, formatBytes);
  reader.at = format;
  reader.end = 0;
  for (char letter; (letter = next(reader, where)) != 0;) {
    if (letter != 's') continue;
    const char *text = *(const char *const *)(arguments + where);
    if (text == 0) *to++ = 0;
    else to = copy(to, text, length(text));
  }
  __threadfence();
  *(volatile unsigned *)record = total;
  return count;
}
`;
