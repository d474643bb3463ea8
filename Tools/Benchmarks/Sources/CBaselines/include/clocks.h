#pragma once
#include <stdint.h>

/// Nanoseconds of processor time of the calling thread.
uint64_t thread_nanoseconds(void);
/// Nanoseconds since some fixed moment.
uint64_t monotonic_nanoseconds(void);
