#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// One edit: `removed` UTF-16 units at `position` give way to `inserted` units, which start at
/// `source` in a flat array of units.
typedef struct {
  uint32_t position;
  uint32_t removed;
  uint32_t source;
  uint32_t inserted;
} flat_edit;

/// UTF-16 text with one gap, and nothing else.
typedef struct gap_buffer gap_buffer;

gap_buffer *gap_buffer_create(void);
void gap_buffer_destroy(gap_buffer *buffer);
size_t gap_buffer_length(const gap_buffer *buffer);
void gap_buffer_copy(const gap_buffer *buffer, uint16_t *to);
/// The edits must fit the text.
void gap_buffer_apply(
    gap_buffer *buffer, const flat_edit *edits, size_t count, const uint16_t *units);

/// UTF-16 text with one gap, and the exact length of each paragraph in a second gap buffer. A
/// paragraph ends with LF, CR, CR LF or U+2029, as in the state under test.
typedef struct paragraph_buffer paragraph_buffer;

paragraph_buffer *paragraph_buffer_create(void);
void paragraph_buffer_destroy(paragraph_buffer *buffer);
size_t paragraph_buffer_length(const paragraph_buffer *buffer);
size_t paragraph_buffer_count(const paragraph_buffer *buffer);
void paragraph_buffer_copy(const paragraph_buffer *buffer, uint16_t *to);
/// The edits must fit the text.
void paragraph_buffer_apply(
    paragraph_buffer *buffer, const flat_edit *edits, size_t count, const uint16_t *units);
/// True if the paragraphs are those that a scan of the whole text finds.
bool paragraph_buffer_is_exact(const paragraph_buffer *buffer);
