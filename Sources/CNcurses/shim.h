// Of ncurses: the screen of a terminal, with wide characters. Its global variables and the macros with
// arguments are not imported, so functions stand for those that are used.
#pragma once
#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif
#include <curses.h>
#include <term.h>

// A declaration of wcwidth(3) needs _XOPEN_SOURCE.
extern int wcwidth(wchar_t);

static inline WINDOW *editlog_window(void) { return stdscr; }
static inline WINDOW *editlog_terminal(void) { return curscr; }
static inline int editlog_rows(void) { return LINES; }
static inline int editlog_columns(void) { return COLS; }
static inline int editlog_colour_count(void) { return COLORS; }

// The attributes of a cell: 1 bold, 2 dim, 4 reversed, 8 underlined.
static inline void editlog_put(
    int row, int column, const wchar_t *text, int looks, short pair) {
  attr_t attributes = A_NORMAL;
  if (looks & 1) attributes |= A_BOLD;
  if (looks & 2) attributes |= A_DIM;
  if (looks & 4) attributes |= A_REVERSE;
  if (looks & 8) attributes |= A_UNDERLINE;
  cchar_t cell;
  if (setcchar(&cell, text, attributes, pair, NULL) == OK) {
    mvadd_wch(row, column, &cell);
  }
}

// Sequences of the terminal.
typedef enum {
  EDITLOG_SAVE, EDITLOG_RESTORE, EDITLOG_MOVE, EDITLOG_BOLD, EDITLOG_DIM, EDITLOG_REVERSED,
  EDITLOG_UNDERLINED, EDITLOG_COLOUR, EDITLOG_PLAIN
} editlog_sequence_kind;

// A sequence of the terminal; NULL if it has none.
static inline const char *editlog_sequence(editlog_sequence_kind kind, int row, int column) {
  switch (kind) {
  case EDITLOG_SAVE: return save_cursor;
  case EDITLOG_RESTORE: return restore_cursor;
  case EDITLOG_MOVE: return cursor_address ? tiparm(cursor_address, row, column) : NULL;
  case EDITLOG_BOLD: return enter_bold_mode;
  case EDITLOG_DIM: return enter_dim_mode;
  case EDITLOG_REVERSED: return enter_reverse_mode;
  case EDITLOG_UNDERLINED: return enter_underline_mode;
  case EDITLOG_COLOUR: return set_a_foreground ? tiparm(set_a_foreground, row) : NULL;
  case EDITLOG_PLAIN: return exit_attribute_mode;
  }
  return NULL;
}

// Scalars in a cell, at most.
static inline int editlog_scalars_max(void) { return CCHARW_MAX; }

static inline void editlog_use_mouse(void) {
  mousemask(
      BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON4_PRESSED | BUTTON5_PRESSED | REPORT_MOUSE_POSITION,
      NULL);
  mouseinterval(0);
}

// What the next mouse event is: 0 none, 1 press, 2 release, 3 move, 4 wheel up, 5 wheel down.
static inline int editlog_mouse(int *row, int *column) {
  MEVENT event;
  if (getmouse(&event) != OK) return 0;
  *row = event.y;
  *column = event.x;
  if (event.bstate & BUTTON4_PRESSED) return 4;
  if (event.bstate & BUTTON5_PRESSED) return 5;
  if (event.bstate & BUTTON1_PRESSED) return 1;
  if (event.bstate & BUTTON1_RELEASED) return 2;
  return event.bstate & REPORT_MOUSE_POSITION ? 3 : 0;
}

// The next key without waiting: ERR if there is none, KEY_CODE_YES if `key` is one of KEY_, else OK.
static inline int editlog_key(wint_t *key) { return wget_wch(stdscr, key); }

// The key of a terminal's answer that it has synchronized output. ncurses gives the numbers after KEY_MAX to
// the keys that only some terminals have, such as Alt-Delete, so these are far from it.
static inline int editlog_synchronized_key(void) { return KEY_MAX + 0x2000; }

// The key of an answer that it does not.
static inline int editlog_unsynchronized_key(void) { return KEY_MAX + 0x2001; }

// Reads the answers to DECRQM for mode 2026 as keys, so that a slow terminal is not waited for: 1 and 2 mean
// that the mode can be set; 0, 3 and 4 that it cannot.
static inline void editlog_define_answers(void) {
  define_key("\033[?2026;1$y", editlog_synchronized_key());
  define_key("\033[?2026;2$y", editlog_synchronized_key());
  define_key("\033[?2026;0$y", editlog_unsynchronized_key());
  define_key("\033[?2026;3$y", editlog_unsynchronized_key());
  define_key("\033[?2026;4$y", editlog_unsynchronized_key());
}

// The columns of the cursor that are read as answers, 1 to this, and the key of column 0.
#define EDITLOG_ANSWER_MAX 20
static inline int editlog_cursor_key(void) { return KEY_MAX + 0x2100; }

// Reads where the cursor is in row 2 as keys (CPR). In row 1, the same means F3 with Shift and others.
static inline void editlog_define_cursor(void) {
  char answer[] = "\033[2;10R";
  for (int column = 1; column <= EDITLOG_ANSWER_MAX; column++) {
    if (column < 10) {
      answer[4] = (char)('0' + column);
      answer[5] = 'R';
      answer[6] = 0;
    } else {
      answer[4] = (char)('0' + column / 10);
      answer[5] = (char)('0' + column % 10);
      answer[6] = 'R';
    }
    define_key(answer, editlog_cursor_key() + column);
  }
}
