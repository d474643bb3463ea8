// Instructions that a processor may have and Swift has no name for.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)

#define EDITLOG_CRC32C __attribute__((target("sse4.2")))
#define editlog_crc32c_8(crc, value) (uint32_t) __builtin_ia32_crc32qi(crc, value)
#define editlog_crc32c_64(crc, value) __builtin_ia32_crc32di(crc, value)

/// True if `editlog_crc32c` may be called.
static inline bool editlog_has_crc32c(void) { return __builtin_cpu_supports("sse4.2"); }

/// Continues a CRC-32C over `count` bytes; `crc` and the result are not inverted.
EDITLOG_CRC32C static inline uint32_t editlog_crc32c(
    uint32_t crc, const uint8_t *_Nonnull bytes, size_t count) {
  uint64_t sum = crc;
  for (; count >= 8; bytes += 8, count -= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    sum = editlog_crc32c_64(sum, word);
  }
  for (; count > 0; bytes++, count--) sum = editlog_crc32c_8((uint32_t)sum, *bytes);
  return (uint32_t)sum;
}

#else

static inline bool editlog_has_crc32c(void) { return false; }
static inline uint32_t editlog_crc32c(
    uint32_t crc, const uint8_t *_Nonnull bytes, size_t count) {
  (void)bytes, (void)count;
  return crc;
}

#endif
