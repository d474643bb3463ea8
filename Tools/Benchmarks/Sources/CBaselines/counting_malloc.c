#include "counting_malloc.h"
#include <errno.h>
#include <stdlib.h>

static _Thread_local bool is_counting;
static _Thread_local allocation_counts counts;

void start_counting(void) {
  counts = (allocation_counts){0, 0, 0};
  is_counting = true;
}

allocation_counts stop_counting(void) {
  is_counting = false;
  return counts;
}

#if defined(__GLIBC__)
#include <malloc.h>

// A program's own functions take the place of the library's, for the library's calls too.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

bool can_count_allocations(void) { return true; }

static void *counted(void *block) {
  if (is_counting && block) {
    size_t size = malloc_usable_size(block);
    counts.allocations++;
    counts.bytes += size;
    counts.live += (int64_t)size;
  }
  return block;
}

static void discount(void *block) {
  if (is_counting && block) counts.live -= (int64_t)malloc_usable_size(block);
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }

void *realloc(void *block, size_t size) {
  size_t before = is_counting && block ? malloc_usable_size(block) : 0;
  void *moved = __libc_realloc(block, size);
  // A failed call leaves the block alone; a size of 0 frees it.
  if (moved || size == 0) counts.live -= (int64_t)before;
  return counted(moved);
}

void *memalign(size_t alignment, size_t size) {
  return counted(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size) {
  return counted(__libc_memalign(alignment, size));
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *found = counted(__libc_memalign(alignment, size));
  if (!found) return ENOMEM;
  *block = found;
  return 0;
}

void free(void *block) {
  discount(block);
  __libc_free(block);
}
#else
bool can_count_allocations(void) { return false; }
#endif
