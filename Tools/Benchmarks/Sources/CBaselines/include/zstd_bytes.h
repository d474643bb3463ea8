#pragma once

#include <stddef.h>
#include <stdint.h>

// zstd without anything around it. 0 where it fails.

size_t compressed_bound(size_t size);
size_t compress_bytes(uint8_t *target, size_t capacity, const uint8_t *source, size_t size,
                      int level);
size_t decompress_bytes(uint8_t *target, size_t capacity, const uint8_t *source, size_t size);
