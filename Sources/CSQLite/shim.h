// A call of SQLite with a variable number of arguments, which Swift cannot make.
#pragma once
#include <sqlite3.h>

// Refuses statements that could damage the file: writes to the schema and to the tables of indexes.
static inline int sqlite_make_defensive(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}
