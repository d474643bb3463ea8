#include "gap_buffer.h"
#include "unit_gap.h"

struct gap_buffer {
  unit_gap text;
};

gap_buffer *gap_buffer_create(void) {
  gap_buffer *buffer = calloc(1, sizeof(gap_buffer));
  if (!buffer) abort();
  return buffer;
}

void gap_buffer_destroy(gap_buffer *buffer) {
  free(buffer->text.units);
  free(buffer);
}

size_t gap_buffer_length(const gap_buffer *buffer) { return unit_gap_length(&buffer->text); }

void gap_buffer_copy(const gap_buffer *buffer, uint16_t *to) {
  if (buffer->text.units) unit_gap_copy(&buffer->text, to);
}

void gap_buffer_apply(
    gap_buffer *buffer, const flat_edit *edits, size_t count, const uint16_t *units) {
  // A copy whose address is not shared stays in registers.
  unit_gap text = buffer->text;
  for (const flat_edit *edit = edits; edit < edits + count; edit++) {
    unit_gap_replace(
        &text, edit->position, edit->removed, units + edit->source, edit->inserted);
  }
  buffer->text = text;
}
