// Instructions that a processor may have and Swift has no name for.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

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

#define EDITLOG_SHA256 __attribute__((target("sha,sse4.1")))
typedef int editlog_words __attribute__((vector_size(16)));
typedef char editlog_bytes __attribute__((vector_size(16)));

/// True if `editlog_sha256` may be called.
static inline bool editlog_has_sha256(void) {
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1) && __builtin_cpu_supports("sse4.1");
}

/// Continues a SHA-256 over `count` blocks of 64 bytes.
///
/// `state` has 8 words, and `constants` the 64 of FIPS 180-4.
EDITLOG_SHA256 static inline void editlog_sha256(
    uint32_t *_Nonnull state, const uint8_t *_Nonnull blocks, size_t count,
    const uint32_t *_Nonnull constants) {
  // The instructions take the words a, b, e, f and c, d, g, h together, each in reverse order.
  editlog_words low = {(int)state[5], (int)state[4], (int)state[1], (int)state[0]};
  editlog_words high = {(int)state[7], (int)state[6], (int)state[3], (int)state[2]};
  for (; count > 0; blocks += 64, count--) {
    editlog_words low_before = low, high_before = high, words[4];
#pragma clang loop unroll(full)
    for (int round = 0; round < 16; round++) {
      if (round < 4) {
        editlog_bytes bytes;
        memcpy(&bytes, blocks + 16 * round, 16);
        words[round] = (editlog_words)__builtin_shufflevector(
            bytes, bytes, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
      } else {
        editlog_words last = words[(round + 3) & 3];
        words[round & 3] = __builtin_ia32_sha256msg2(
            __builtin_ia32_sha256msg1(words[round & 3], words[(round + 1) & 3]) +
                __builtin_shufflevector(words[(round + 2) & 3], last, 1, 2, 3, 4),
            last);
      }
      editlog_words terms;
      memcpy(&terms, constants + 4 * round, 16);
      terms += words[round & 3];
      high = __builtin_ia32_sha256rnds2(high, low, terms);
      terms = __builtin_shufflevector(terms, terms, 2, 3, 0, 0);
      low = __builtin_ia32_sha256rnds2(low, high, terms);
    }
    low += low_before;
    high += high_before;
  }
  state[0] = (uint32_t)low[3], state[1] = (uint32_t)low[2];
  state[2] = (uint32_t)high[3], state[3] = (uint32_t)high[2];
  state[4] = (uint32_t)low[1], state[5] = (uint32_t)low[0];
  state[6] = (uint32_t)high[1], state[7] = (uint32_t)high[0];
}

#else

static inline bool editlog_has_sha256(void) { return false; }
static inline void editlog_sha256(
    uint32_t *_Nonnull state, const uint8_t *_Nonnull blocks, size_t count,
    const uint32_t *_Nonnull constants) {
  (void)state, (void)blocks, (void)count, (void)constants;
}
static inline bool editlog_has_crc32c(void) { return false; }
static inline uint32_t editlog_crc32c(
    uint32_t crc, const uint8_t *_Nonnull bytes, size_t count) {
  (void)bytes, (void)count;
  return crc;
}

#endif
