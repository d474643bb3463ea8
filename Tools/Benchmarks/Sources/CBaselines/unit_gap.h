#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/// Text before `start` and from `end` on; between them the gap.
typedef struct {
  uint16_t *units;
  size_t start;
  size_t end;
  size_t capacity;
} unit_gap;

static inline size_t unit_gap_length(const unit_gap *gap) {
  return gap->capacity - (gap->end - gap->start);
}

static inline void unit_gap_copy(const unit_gap *gap, uint16_t *to) {
  memcpy(to, gap->units, gap->start * 2);
  memcpy(to + gap->start, gap->units + gap->end, (gap->capacity - gap->end) * 2);
}

/// Doubles the buffer until the gap holds `count` units. By value: no address leaves the caller,
/// who can keep the gap in registers.
__attribute__((noinline)) static unit_gap unit_gap_grown(unit_gap gap, size_t count) {
  size_t length = unit_gap_length(&gap);
  size_t capacity = gap.capacity < 1024 ? 1024 : gap.capacity;
  while (capacity - length < count) capacity *= 2;
  uint16_t *units = malloc(capacity * 2);
  if (!units) abort();
  size_t tail = gap.capacity - gap.end;
  if (gap.units) {
    memcpy(units, gap.units, gap.start * 2);
    memcpy(units + capacity - tail, gap.units + gap.end, tail * 2);
  }
  free(gap.units);
  return (unit_gap){units, gap.start, capacity - tail, capacity};
}

static inline __attribute__((always_inline)) void unit_gap_move(unit_gap *gap, size_t position) {
  if (position < gap->start) {
    size_t count = gap->start - position;
    memmove(gap->units + gap->end - count, gap->units + position, count * 2);
    gap->end -= count;
    gap->start = position;
  } else if (position > gap->start) {
    size_t count = position - gap->start;
    memmove(gap->units + gap->start, gap->units + gap->end, count * 2);
    gap->end += count;
    gap->start = position;
  }
}

/// Replaces units. The gap ends up after the inserted ones.
static inline __attribute__((always_inline)) void unit_gap_replace(
    unit_gap *gap, size_t position, size_t removed, const uint16_t *inserted, size_t count) {
  size_t after = position + removed;
  if (position <= gap->start && gap->start <= after) {
    // What touches the gap is removed without moving anything: the case of a backspace.
    gap->end += after - gap->start;
    gap->start = position;
  } else {
    // To the nearer end: what is removed need not be moved.
    bool is_before = after < gap->start;
    unit_gap_move(gap, is_before ? after : position);
    if (is_before) gap->start = position;
    else gap->end += removed;
  }
  if (count > gap->end - gap->start) *gap = unit_gap_grown(*gap, count);
  if (count == 1) {
    gap->units[gap->start++] = inserted[0];
  } else if (count > 0) {
    memcpy(gap->units + gap->start, inserted, count * 2);
    gap->start += count;
  }
}
