#include "gap_buffer.h"
#include "unit_gap.h"

/// The lengths of paragraphs: those before `start` come first, those from `end` on follow. The
/// last one before the gap is the current paragraph; `offset` units lie before it.
typedef struct {
  uint32_t *lengths;
  size_t start;
  size_t end;
  size_t capacity;
  size_t offset;
} length_gap;

struct paragraph_buffer {
  unit_gap text;
  length_gap paragraphs;
};

static const uint16_t line_feed = 0x0A, carriage_return = 0x0D, separator = 0x2029;

static inline bool is_terminator(uint16_t unit) {
  return unit == line_feed || unit == carriage_return || unit == separator;
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

static inline void push(length_gap *gap, size_t length) {
  if (gap->start == gap->end) grow_lengths(gap);
  gap->lengths[gap->start++] = (uint32_t)length;
}

static inline void step_back(length_gap *gap) {
  gap->lengths[--gap->end] = gap->lengths[--gap->start];
  gap->offset -= gap->lengths[gap->start - 1];
}

/// Makes the paragraph that holds `position` the current one; the text's end belongs to the
/// last one.
static inline void move_to(length_gap *gap, size_t position) {
  while (position < gap->offset) step_back(gap);
  while (gap->end < gap->capacity && position >= gap->offset + gap->lengths[gap->start - 1]) {
    gap->offset += gap->lengths[gap->start - 1];
    gap->lengths[gap->start++] = gap->lengths[gap->end++];
  }
}

/// The unit behind the gap; 0 at the text's end.
static inline uint16_t next_unit(const unit_gap *text) {
  return text->end < text->capacity ? text->units[text->end] : 0;
}

/// Any edit. Scans the inserted units and the joint before them, never the paragraphs around.
__attribute__((noinline)) static void replace_anywhere(
    unit_gap *text, length_gap *gap, size_t position, size_t removed, const uint16_t *inserted,
    size_t count) {
  unit_gap_move(text, position);
  uint16_t before = position > 0 ? text->units[position - 1] : 0;
  // A CR just before the current paragraph may meet an LF: its paragraph takes part.
  if (before == carriage_return && position == gap->offset) step_back(gap);

  size_t end = gap->offset + gap->lengths[--gap->start];
  while (gap->end < gap->capacity && position + removed >= end) {
    end += gap->lengths[gap->end++];
  }
  end += count - removed;
  unit_gap_replace(text, position, removed, inserted, count);

  size_t begin = gap->offset;
  const uint16_t *units = text->units;
  size_t from = position > begin ? position - 1 : begin;
  for (size_t index = from; index < position + count; index++) {
    uint16_t unit = units[index];
    if (!is_terminator(unit)) continue;
    uint16_t next = index + 1 < position + count ? units[index + 1] : next_unit(text);
    if (unit == carriage_return && next == line_feed) continue;
    push(gap, index + 1 - begin);
    begin = index + 1;
  }
  push(gap, end - begin);
  gap->offset = begin;
}

static inline __attribute__((always_inline)) void replace(
    unit_gap *text, length_gap *gap, size_t position, size_t removed, const uint16_t *inserted,
    size_t count) {
  move_to(gap, position);
  size_t end = gap->offset + gap->lengths[gap->start - 1];
  bool is_local = position + removed < end || gap->end == gap->capacity;
  // Long insertions are scanned once, where they are cut.
  is_local &= count == 0 || (count == 1 && !is_terminator(inserted[0]));
  if (is_local && position > 0) {
    size_t index = position - 1;
    index += index < text->start ? 0 : text->end - text->start;
    is_local = text->units[index] != carriage_return;
  }
  if (!is_local) return replace_anywhere(text, gap, position, removed, inserted, count);
  unit_gap_replace(text, position, removed, inserted, count);
  gap->lengths[gap->start - 1] += (uint32_t)(count - removed);
}

paragraph_buffer *paragraph_buffer_create(void) {
  paragraph_buffer *buffer = calloc(1, sizeof(paragraph_buffer));
  if (!buffer) abort();
  push(&buffer->paragraphs, 0);
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
  return gap->capacity - (gap->end - gap->start);
}

void paragraph_buffer_copy(const paragraph_buffer *buffer, uint16_t *to) {
  if (buffer->text.units) unit_gap_copy(&buffer->text, to);
}

void paragraph_buffer_apply(
    paragraph_buffer *buffer, const flat_edit *edits, size_t count, const uint16_t *units) {
  unit_gap text = buffer->text;
  length_gap paragraphs = buffer->paragraphs;
  for (const flat_edit *edit = edits; edit < edits + count; edit++) {
    replace(
        &text, &paragraphs, edit->position, edit->removed, units + edit->source,
        edit->inserted);
  }
  buffer->text = text;
  buffer->paragraphs = paragraphs;
}

static size_t length_at(const length_gap *gap, size_t index) {
  return gap->lengths[index < gap->start ? index : index + gap->end - gap->start];
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
