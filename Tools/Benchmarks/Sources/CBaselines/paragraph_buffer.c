#include "gap_buffer.h"
#include "unit_gap.h"

#define inlined static inline __attribute__((always_inline))

/// The lengths of paragraphs, but for the current one: those before it, up to `start`, and those
/// after it, from `end` on. The current one has `length` units, and `offset` lie before it:
/// numbers that typing changes, so they stay in registers.
typedef struct {
  uint32_t *lengths;
  size_t start;
  size_t end;
  size_t capacity;
  size_t offset;
  size_t length;
} length_gap;

struct paragraph_buffer {
  unit_gap text;
  length_gap paragraphs;
};

enum { line_feed = 0x0A, carriage_return = 0x0D, separator = 0x2029 };

inlined bool is_terminator(uint16_t unit) {
  return unit == line_feed || unit == carriage_return || unit == separator;
}

/// Without branches inside a stretch, so that the compiler takes many units at once.
inlined bool has_terminator(const uint16_t *units, size_t count) {
  if (count == 1) return is_terminator(units[0]);
  for (size_t from = 0; from < count; from += 64) {
    size_t to = from + 64 < count ? from + 64 : count;
    uint16_t found = 0;
    for (size_t index = from; index < to; index++) {
      uint16_t unit = units[index];
      found |= (unit == line_feed) | (unit == carriage_return) | (unit == separator);
    }
    if (found) return true;
  }
  return false;
}

static void grow_lengths(length_gap *gap) {
  size_t capacity = gap->capacity < 256 ? 256 : gap->capacity * 2;
  uint32_t *lengths = malloc(capacity * 4);
  if (!lengths) abort();
  size_t tail = gap->capacity - gap->end;
  if (gap->lengths) {
    memcpy(lengths, gap->lengths, gap->start * 4);
    memcpy(lengths + capacity - tail, gap->lengths + gap->end, tail * 4);
  }
  free(gap->lengths);
  gap->lengths = lengths;
  gap->end = capacity - tail;
  gap->capacity = capacity;
}

/// Puts a paragraph before the current one.
static inline void push(length_gap *gap, size_t length) {
  if (gap->start == gap->end) grow_lengths(gap);
  gap->lengths[gap->start++] = (uint32_t)length;
  gap->offset += length;
}

inlined void step_back(length_gap *gap) {
  size_t length = gap->lengths[--gap->start];
  gap->lengths[--gap->end] = (uint32_t)gap->length;
  gap->length = length;
  gap->offset -= length;
}

inlined void step_forward(length_gap *gap) {
  size_t length = gap->lengths[gap->end++];
  gap->lengths[gap->start++] = (uint32_t)gap->length;
  gap->offset += gap->length;
  gap->length = length;
}

enum { stride = 8 };

inlined size_t sum_of_stride(const uint32_t *lengths) {
  uint32_t sum = 0;
  for (int index = 0; index < stride; index++) sum += lengths[index];
  return sum;
}

/// Makes the paragraph that holds `position` the current one; the text's end belongs to the
/// last one. Far ways are gone in strides.
inlined void move_to(length_gap *gap, size_t position) {
  while (position < gap->offset) {
    step_back(gap);
    while (gap->start >= stride) {
      size_t units = sum_of_stride(gap->lengths + gap->start - stride);
      if (position + units >= gap->offset) break;
      // The gap may be empty: what a slot held is moved before the slot is written.
      size_t first = gap->lengths[gap->start - stride];
      gap->start -= stride;
      gap->end -= stride;
      memmove(gap->lengths + gap->end, gap->lengths + gap->start + 1, (stride - 1) * 4);
      gap->lengths[gap->end + stride - 1] = (uint32_t)gap->length;
      gap->length = first;
      gap->offset -= units;
    }
  }
  while (position >= gap->offset + gap->length && gap->end < gap->capacity) {
    step_forward(gap);
    while (gap->capacity - gap->end >= stride) {
      size_t units = sum_of_stride(gap->lengths + gap->end);
      if (position < gap->offset + gap->length + units) break;
      size_t last = gap->lengths[gap->end + stride - 1];
      memmove(gap->lengths + gap->start + 1, gap->lengths + gap->end, (stride - 1) * 4);
      gap->lengths[gap->start] = (uint32_t)gap->length;
      gap->start += stride;
      gap->end += stride;
      gap->offset += gap->length + units - last;
      gap->length = last;
    }
  }
}

/// The unit after the gap; 0 at the text's end.
static inline uint16_t next_unit(const unit_gap *text) {
  return text->end < text->capacity ? text->units[text->end] : 0;
}

/// Any edit at or after the current paragraph's start. Scans the inserted units and the joint
/// before them, never the paragraphs around.
__attribute__((noinline)) static void replace_anywhere(
    paragraph_buffer *buffer, size_t position, size_t removed, const uint16_t *inserted,
    size_t count) {
  unit_gap *text = &buffer->text;
  length_gap *gap = &buffer->paragraphs;
  unit_gap_move(text, position);
  uint16_t before = position > 0 ? text->units[position - 1] : 0;
  // A CR just before the current paragraph may meet an LF: its paragraph takes part.
  if (before == carriage_return && position == gap->offset) step_back(gap);

  size_t end = gap->offset + gap->length;
  while (gap->end < gap->capacity && position + removed >= end) {
    end += gap->lengths[gap->end++];
  }
  end += count - removed;
  unit_gap_replace(text, position, removed, inserted, count);

  const uint16_t *units = text->units;
  size_t from = position > gap->offset ? position - 1 : gap->offset;
  for (size_t index = from; index < position + count; index++) {
    uint16_t unit = units[index];
    if (!is_terminator(unit)) continue;
    uint16_t next = index + 1 < position + count ? units[index + 1] : next_unit(text);
    if (unit == carriage_return && next == line_feed) continue;
    push(gap, index + 1 - gap->offset);
  }
  gap->length = end - gap->offset;
}

/// An edit inside a paragraph that brings no terminator; false, with only the current paragraph
/// changed, where the edit is another.
inlined bool replace_locally(
    unit_gap *text, length_gap *gap, size_t position, size_t removed, const uint16_t *inserted,
    size_t count) {
  move_to(gap, position);
  if (position + removed >= gap->offset + gap->length && gap->end < gap->capacity) return false;
  if (has_terminator(inserted, count)) return false;
  if (position > 0) {
    size_t index = position - 1;
    index += index < text->start ? 0 : text->end - text->start;
    if (text->units[index] == carriage_return) return false;
  }
  unit_gap_replace(text, position, removed, inserted, count);
  gap->length += count - removed;
  return true;
}

paragraph_buffer *paragraph_buffer_create(void) {
  paragraph_buffer *buffer = calloc(1, sizeof(paragraph_buffer));
  if (!buffer) abort();
  return buffer;
}

void paragraph_buffer_destroy(paragraph_buffer *buffer) {
  free(buffer->text.units);
  free(buffer->paragraphs.lengths);
  free(buffer);
}

size_t paragraph_buffer_length(const paragraph_buffer *buffer) {
  return unit_gap_length(&buffer->text);
}

size_t paragraph_buffer_count(const paragraph_buffer *buffer) {
  const length_gap *gap = &buffer->paragraphs;
  return gap->capacity - (gap->end - gap->start) + 1;
}

void paragraph_buffer_copy(const paragraph_buffer *buffer, uint16_t *to) {
  if (buffer->text.units) unit_gap_copy(&buffer->text, to);
}

void paragraph_buffer_apply(
    paragraph_buffer *buffer, const flat_edit *edits, size_t count, const uint16_t *units) {
  // Copies whose addresses are not shared stay in registers.
  unit_gap text = buffer->text;
  length_gap paragraphs = buffer->paragraphs;
  for (const flat_edit *edit = edits; edit < edits + count; edit++) {
    const uint16_t *inserted = units + edit->source;
    if (replace_locally(
            &text, &paragraphs, edit->position, edit->removed, inserted, edit->inserted)) {
      continue;
    }
    buffer->text = text;
    buffer->paragraphs = paragraphs;
    replace_anywhere(buffer, edit->position, edit->removed, inserted, edit->inserted);
    text = buffer->text;
    paragraphs = buffer->paragraphs;
  }
  buffer->text = text;
  buffer->paragraphs = paragraphs;
}

static size_t length_at(const length_gap *gap, size_t index) {
  if (index == gap->start) return gap->length;
  return gap->lengths[index < gap->start ? index : index - 1 + gap->end - gap->start];
}

bool paragraph_buffer_is_exact(const paragraph_buffer *buffer) {
  size_t length = unit_gap_length(&buffer->text), paragraph = 0, begin = 0;
  size_t count = paragraph_buffer_count(buffer);
  uint16_t *units = malloc(length * 2 + 2);
  if (!units) abort();
  paragraph_buffer_copy(buffer, units);
  units[length] = 0;
  bool is_exact = true;
  for (size_t index = 0; index < length && is_exact; index++) {
    if (!is_terminator(units[index])) continue;
    if (units[index] == carriage_return && units[index + 1] == line_feed) continue;
    is_exact = paragraph + 1 < count &&
        length_at(&buffer->paragraphs, paragraph++) == index + 1 - begin;
    begin = index + 1;
  }
  free(units);
  return is_exact && paragraph + 1 == count &&
      length_at(&buffer->paragraphs, paragraph) == length - begin;
}
