// Of libunistring: widths, grapheme clusters, line breaks, and bidirectional classes.
#pragma once
#include <unictype.h>
#include <unigbrk.h>
#include <unilbrk.h>
#include <uniwidth.h>

// A macro gives the name of the newest variant, and macros are not imported.
static inline void editlog_line_breaks(const uint16_t *units, size_t count, char *breaks) {
  u16_possible_linebreaks(units, count, "UTF-8", breaks);
}

static inline int editlog_width(ucs4_t scalar) { return uc_width(scalar, "UTF-8"); }
