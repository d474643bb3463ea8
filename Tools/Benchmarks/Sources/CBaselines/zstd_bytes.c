#include "zstd_bytes.h"

#include <zstd.h>

size_t compressed_bound(size_t size) { return ZSTD_compressBound(size); }

size_t compress_bytes(uint8_t *target, size_t capacity, const uint8_t *source, size_t size,
                      int level) {
  size_t result = ZSTD_compress(target, capacity, source, size, level);
  return ZSTD_isError(result) ? 0 : result;
}

size_t decompress_bytes(uint8_t *target, size_t capacity, const uint8_t *source, size_t size) {
  size_t result = ZSTD_decompress(target, capacity, source, size);
  return ZSTD_isError(result) ? 0 : result;
}
