import GRDB

/// The tables of a projection. The article <doc:Schema> describes each column.
enum Schema {
  /// Raised when a table changes, or the meaning of its rows. The rows of a file of an older version are made anew; a
  /// file of a newer version is refused.
  static let version = 6
  /// `PRAGMA application_id` of the files: `ELOG`.
  static let applicationID = 0x454C_4F47

  /// The tables that have a column `document`.
  static let documentTables = [
    "documents", "sessions", "edits", "paragraphs", "sections", "paragraph_versions", "undo_steps",
    "marks", "events", "deletions", "folds",
  ]

  /// Creates the tables in an empty database.
  static func create(_ db: Database, store: String) throws {
    try db.execute(sql: tables)
    try db.execute(sql: "INSERT INTO store(identifier) VALUES(?)", arguments: [store])
    try db.execute(
      sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
  }

  /// Replaces the tables of an older version, which `SchemaObject.checkOlder` has accepted, by empty ones.
  static func replace(_ db: Database, store: String) throws {
    let found = try SchemaObject.all(db)
    let search = "paragraph_search"
    for type in ["trigger", "view", "table"] {
      for object in found where object.type == type {
        // The tables of the index go with it.
        let isPart =
          object.name.hasPrefix("sqlite_") || object.name.hasPrefix(search + "_")
        if !isPart { try db.execute(sql: "DROP \(type) \(object.name)") }
      }
    }
    try create(db, store: store)
  }

  private static let tables = """
    CREATE TABLE store(
      identifier TEXT NOT NULL,
      follower INTEGER
    );
    CREATE TABLE documents(
      document TEXT PRIMARY KEY,
      number INTEGER NOT NULL UNIQUE,
      sequence INTEGER NOT NULL,
      events INTEGER NOT NULL,
      length INTEGER NOT NULL,
      paragraphs INTEGER NOT NULL,
      current_step INTEGER NOT NULL,
      first_time INTEGER,
      last_time INTEGER
    ) WITHOUT ROWID;
    CREATE TABLE sessions(
      document TEXT NOT NULL,
      event INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      time INTEGER NOT NULL,
      session TEXT,
      author TEXT,
      client TEXT NOT NULL,
      client_version TEXT,
      host TEXT,
      process INTEGER,
      PRIMARY KEY(document, event)
    ) WITHOUT ROWID;
    CREATE TABLE edits(
      document TEXT NOT NULL,
      sequence INTEGER NOT NULL,
      time INTEGER NOT NULL,
      author TEXT,
      origin TEXT NOT NULL,
      location INTEGER NOT NULL,
      length INTEGER NOT NULL,
      change_in_length INTEGER NOT NULL,
      text TEXT,
      removed TEXT,
      attributes TEXT,
      first_of_transaction INTEGER NOT NULL,
      session TEXT,
      counter INTEGER NOT NULL,
      client_time INTEGER,
      selection TEXT,
      PRIMARY KEY(document, sequence)
    ) WITHOUT ROWID;
    CREATE TABLE paragraphs(
      document TEXT NOT NULL,
      id TEXT NOT NULL,
      position INTEGER,
      location INTEGER,
      length INTEGER NOT NULL,
      text TEXT NOT NULL,
      born_sequence INTEGER NOT NULL,
      born_time INTEGER,
      born_author TEXT,
      split_from TEXT,
      edited_sequence INTEGER NOT NULL,
      edited_time INTEGER,
      edited_author TEXT,
      edit_count INTEGER NOT NULL,
      authors TEXT NOT NULL,
      died_sequence INTEGER,
      died_time INTEGER,
      died_author TEXT,
      died_position INTEGER,
      merged_into TEXT,
      moved_to TEXT,
      kind TEXT,
      level INTEGER,
      attributes TEXT,
      row INTEGER PRIMARY KEY
    );
    CREATE UNIQUE INDEX paragraphs_by_id ON paragraphs(document, id);
    CREATE INDEX paragraphs_by_position ON paragraphs(document, position)
      WHERE position IS NOT NULL;
    CREATE INDEX paragraphs_by_death ON paragraphs(document, died_sequence)
      WHERE died_sequence IS NOT NULL;
    CREATE VIRTUAL TABLE paragraph_search USING fts5(
      text, content='paragraphs', content_rowid='row',
      tokenize="unicode61 remove_diacritics 2"
    );
    CREATE TRIGGER paragraphs_inserted AFTER INSERT ON paragraphs BEGIN
      INSERT INTO paragraph_search(rowid, text) VALUES(new.row, new.text);
    END;
    CREATE TRIGGER paragraphs_updated AFTER UPDATE OF text ON paragraphs
      WHEN old.text IS NOT new.text
    BEGIN
      INSERT INTO paragraph_search(paragraph_search, rowid, text)
        VALUES('delete', old.row, old.text);
      INSERT INTO paragraph_search(rowid, text) VALUES(new.row, new.text);
    END;
    CREATE TRIGGER paragraphs_deleted AFTER DELETE ON paragraphs BEGIN
      INSERT INTO paragraph_search(paragraph_search, rowid, text)
        VALUES('delete', old.row, old.text);
    END;
    CREATE TABLE sections(
      document TEXT NOT NULL,
      position INTEGER NOT NULL,
      id TEXT,
      level INTEGER NOT NULL,
      heading TEXT,
      first_paragraph INTEGER NOT NULL,
      paragraphs INTEGER NOT NULL,
      length INTEGER NOT NULL,
      words INTEGER NOT NULL,
      characters INTEGER NOT NULL,
      first_sequence INTEGER NOT NULL,
      PRIMARY KEY(document, position)
    ) WITHOUT ROWID;
    CREATE UNIQUE INDEX sections_by_id ON sections(document, id);
    CREATE VIEW section_paragraphs AS
      SELECT paragraphs.*, sections.position AS section, sections.id AS section_id,
        sections.level AS section_level, sections.heading
      FROM sections JOIN paragraphs ON paragraphs.document = sections.document
        AND paragraphs.position >= sections.first_paragraph
        AND paragraphs.position < sections.first_paragraph + sections.paragraphs;
    CREATE TABLE paragraph_versions(
      document TEXT NOT NULL,
      paragraph TEXT NOT NULL,
      first_sequence INTEGER NOT NULL,
      last_sequence INTEGER NOT NULL,
      edit_count INTEGER NOT NULL,
      time INTEGER NOT NULL,
      author TEXT,
      origin TEXT,
      changes TEXT NOT NULL,
      kept_start INTEGER,
      kept_end INTEGER,
      text TEXT,
      PRIMARY KEY(document, paragraph, first_sequence)
    ) WITHOUT ROWID;
    CREATE VIEW paragraph_history AS
      SELECT document, paragraph, first_sequence, last_sequence, edit_count, time, author,
        origin, changes,
        CASE WHEN kept_start IS NULL THEN text ELSE (
          WITH RECURSIVE made(sequence, text) AS (
            SELECT * FROM (
              SELECT first_sequence, text FROM paragraph_versions whole
                WHERE whole.document = version.document
                  AND whole.paragraph = version.paragraph
                  AND whole.first_sequence < version.first_sequence
                  AND whole.kept_start IS NULL
                ORDER BY first_sequence DESC LIMIT 1)
            UNION ALL
            SELECT next.first_sequence, substr(made.text, 1, next.kept_start) || next.text
                || substr(made.text, length(made.text) - next.kept_end + 1)
              FROM made JOIN paragraph_versions next
                ON next.document = version.document AND next.paragraph = version.paragraph
                  AND next.first_sequence = (
                    SELECT min(first_sequence) FROM paragraph_versions later
                      WHERE later.document = version.document
                        AND later.paragraph = version.paragraph
                        AND later.first_sequence > made.sequence)
              WHERE made.sequence < version.first_sequence)
          SELECT text FROM made WHERE sequence = version.first_sequence) END AS text
      FROM paragraph_versions version;
    CREATE TABLE undo_steps(
      document TEXT NOT NULL,
      step INTEGER NOT NULL,
      parent INTEGER NOT NULL,
      first_sequence INTEGER NOT NULL,
      last_sequence INTEGER NOT NULL,
      edit_count INTEGER NOT NULL,
      inserted INTEGER NOT NULL,
      deleted INTEGER NOT NULL,
      is_undone INTEGER NOT NULL,
      origin TEXT,
      author TEXT,
      first_time INTEGER,
      last_time INTEGER,
      PRIMARY KEY(document, step)
    ) WITHOUT ROWID;
    CREATE TABLE marks(
      document TEXT NOT NULL,
      event INTEGER NOT NULL,
      label TEXT NOT NULL,
      sequence INTEGER NOT NULL,
      time INTEGER NOT NULL,
      author TEXT,
      PRIMARY KEY(document, label, event)
    ) WITHOUT ROWID;
    CREATE TABLE events(
      document TEXT NOT NULL,
      event INTEGER NOT NULL,
      kind TEXT NOT NULL,
      sequence INTEGER NOT NULL,
      time INTEGER NOT NULL,
      author TEXT,
      session TEXT,
      details TEXT NOT NULL,
      PRIMARY KEY(document, event)
    ) WITHOUT ROWID;
    CREATE TABLE deletions(
      document TEXT NOT NULL,
      sequence INTEGER NOT NULL,
      time INTEGER NOT NULL,
      author TEXT,
      origin TEXT NOT NULL,
      units INTEGER NOT NULL,
      paragraphs INTEGER NOT NULL,
      units_before INTEGER NOT NULL,
      paragraphs_before INTEGER NOT NULL,
      nanoseconds INTEGER NOT NULL,
      PRIMARY KEY(document, sequence)
    ) WITHOUT ROWID;
    CREATE TABLE folds(
      document TEXT PRIMARY KEY,
      number INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      events INTEGER NOT NULL,
      version INTEGER NOT NULL,
      state BLOB NOT NULL,
      rows BLOB NOT NULL
    );
    """
}
