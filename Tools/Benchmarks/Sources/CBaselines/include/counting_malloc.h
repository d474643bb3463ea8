#pragma once
#include <stdbool.h>
#include <stdint.h>

/// What a thread's calls of malloc and its kin did since `start_counting`.
typedef struct {
  /// Blocks handed out; a `realloc` counts as one.
  uint64_t allocations;
  /// Usable bytes of these blocks.
  uint64_t bytes;
  /// Usable bytes handed out and not given back; below 0 where more was given back.
  int64_t live;
} allocation_counts;

/// False if the C library's own functions cannot be called from ours.
bool can_count_allocations(void);
/// Counts the calling thread's allocations from 0.
void start_counting(void);
/// Ends it.
allocation_counts stop_counting(void);
