// The stable API of libzstd, and the handful of advanced calls the block codec needs.
#pragma once
#include <zstd.h>
#include <zstd_errors.h>
