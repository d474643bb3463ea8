// Rows of the text, of which only those in view are in the page, and lists that scroll in the same way.

const find = (id) => document.getElementById(id);

/** An element with properties, data and children; text is never read as markup. */
function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-") || key === "role") element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children);
  return element;
}

/** The columns that a unit takes: 2 for wide characters, 0 for marks and second halves of pairs. */
function columnsOf(unit) {
  if (unit < 0x300) return unit < 0x20 && unit !== 9 ? 3 : 1;
  if (unit < 0x370 || unit >= 0xdc00 && unit < 0xe000 || unit >= 0xfe00 && unit < 0xfe10) return 0;
  if (unit === 0x200d || unit === 0x200b) return 0;
  return unit >= 0x1100 && unit < 0x1160 || unit >= 0x2e80 && unit < 0xa4d0 || unit >= 0xac00 && unit < 0xdc00
    || unit >= 0xf900 && unit < 0xfb00 || unit >= 0xfe30 && unit < 0xfe70 || unit >= 0xff00 && unit < 0xff61 ? 2 : 1;
}

/** A sign for a unit that would not show, or would change how others show; null for all others. */
function signOf(units, index) {
  const unit = units[index];
  if (unit < 0x20) return unit === 9 ? null : `^${String.fromCharCode(64 + unit)}`;
  if (unit < 0x7f) return null;
  if (unit < 0xa0) return unit === 0x7f ? "^?" : `U+00${unit.toString(16).toUpperCase()}`;
  const isHidden = unit >= 0x202a && unit <= 0x202e || unit >= 0x2066 && unit <= 0x2069
    || unit === 0x2028 || unit === 0x2029 || unit === 0xfeff || unit === 0x200b;
  const isLead = unit >= 0xd800 && unit < 0xdc00, isTrail = unit >= 0xdc00 && unit < 0xe000;
  const isLone = isLead && !(units[index + 1] >= 0xdc00 && units[index + 1] < 0xe000)
    || isTrail && !(units[index - 1] >= 0xd800 && units[index - 1] < 0xdc00);
  return isHidden || isLone ? `U+${unit.toString(16).toUpperCase()}` : null;
}

function stringOf(units) {
  let result = "";
  for (let start = 0; start < units.length; start += 8192) {
    result += String.fromCharCode(...units.subarray(start, start + 8192));
  }
  return result;
}

/** Units as text in one line, with signs for those that would not show. */
function shownLine(units, max = 80) {
  let result = "";
  for (let index = 0; index < Math.min(units.length, max); index++) {
    const unit = units[index];
    result += unit === 10 || unit === 13 || unit === 0x2029 ? "\u23ce" : signOf(units, index) ?? String.fromCharCode(unit);
  }
  return units.length > max ? result.replace(/[\ud800-\udbff]$/, "") + "\u2026" : result;
}

/** A text with line breaks, and with signs for control characters. */
function shownText(units) {
  let result = "";
  for (let index = 0; index < units.length; index++) {
    const unit = units[index];
    if (unit === 13 && units[index + 1] === 10) continue;
    result += unit === 10 || unit === 13 || unit === 0x2029 ? "\n" : signOf(units, index) ?? String.fromCharCode(unit);
  }
  return result;
}

/** A name as it is shown: with signs for what would change the text around it. */
function shownName(name, max = 200) {
  return shownLine(Uint16Array.from({ length: name.length }, (_, index) => name.charCodeAt(index)), max);
}

/** The lines of a text and its rows of at most some columns. */
class Layout {
  /** The layout of a text. What it has in common with the one before, at both ends, is not laid out again. */
  constructor(text, columns, old = null) {
    const units = this.units = text.slice(), length = units.length;
    this.columns = columns;
    [this.lines, this.rows, this.rowLines] = [[], [], []];
    const before = old?.columns === columns ? old.units : new Uint16Array(0), shift = length - before.length;
    const most = Math.min(length, before.length);
    let same = 0, tail = 0;
    while (same < most && units[same] === before[same]) same++;
    while (tail < most - same && units[length - 1 - tail] === before[before.length - 1 - tail]) tail++;
    let next = 0;
    if (before.length) {
      // Lines that end before the change, the unit after their terminator included.
      const kept = Math.max(0, lastIndex(old.lines, (start) => start < same));
      this.take(old, 0, kept, 0);
      next = old.lines[kept];
    }
    const firstKept = before.length ? 1 + lastIndex(old.lines, (start) => start <= before.length - tail + 1) : 0;
    const stop = firstKept && firstKept < old.lines.length ? old.lines[firstKept] + shift : length + 1;
    for (let index = next; index < Math.min(length, stop); index++) {
      const unit = units[index];
      if (unit > 13 && unit !== 0x2029) continue;
      if (!(isEnd(unit) || unit === 13 && units[index + 1] !== 10)) continue;
      this.addLine(next, index + 1);
      next = index + 1;
    }
    if (stop <= length) this.take(old, firstKept, old.lines.length, shift);
    else this.addLine(next, length);
  }
  addLine(start, end) {
    this.lines.push(start);
    this.rowLines.push(this.rows.length);
    this.wrap(start, end, this.rows);
  }
  /** Takes lines of another layout, moved by some units. */
  take(old, from, to, shift) {
    if (from >= to) return;
    const firstRow = old.rowLines[from], rowShift = this.rows.length - firstRow;
    const endRow = to < old.lines.length ? old.rowLines[to] : old.rows.length;
    for (let line = from; line < to; line++) {
      this.lines.push(old.lines[line] + shift);
      this.rowLines.push(old.rowLines[line] + rowShift);
    }
    for (let row = firstRow; row < endRow; row++) this.rows.push(old.rows[row] + shift);
  }

  /** Adds the starts of the rows of a line. */
  wrap(start, end, rows) {
    rows.push(start);
    if (end - start <= this.columns >> 1) return;
    let used = 0, space = 0;
    for (let index = start, row = start; index < end; index++) {
      const unit = this.units[index];
      used += unit === 9 ? 4 : unit < 0x300 ? 1 : columnsOf(unit);
      if (used > this.columns && unit !== 32 && unit !== 10 && unit !== 13) {
        const at = space > row ? space : index;
        if (at === row) continue;
        rows.push(row = at);
        used = 0;
        for (let next = row; next <= index; next++) used += this.units[next] === 9 ? 4 : columnsOf(this.units[next]);
      }
      if (unit === 32 || unit === 9 || unit === 45) space = index + 1;
    }
  }

  lineAt(offset) { return lastIndex(this.lines, (start) => start <= offset); }
  rowAt(offset) { return lastIndex(this.rows, (start) => start <= offset); }
  lineOfRow(row) { return lastIndex(this.rowLines, (first) => first <= row); }
  lineEnd(line) { return line + 1 < this.lines.length ? this.lines[line + 1] : this.units.length; }
  rowEnd(row) { return row + 1 < this.rows.length ? this.rows[row + 1] : this.units.length; }
  /** The end of a row's text, without its terminator. */
  contentEnd(row) {
    let end = this.rowEnd(row);
    const start = this.rows[row];
    if (end > start && isEnd(this.units[end - 1])) end--;
    if (end > start && this.units[end - 1] === 13) end--;
    return end;
  }
}

/** A list whose items have one height, of which only those in view are in the page. */
class LongList {
  constructor(box, height, item, choose) {
    Object.assign(this, { box, height, item, choose, inner: box.firstElementChild, count: 0, focus: 0 });
    // Sizes and places are kept, because to ask for them lays the page out.
    this.top = this.view = 0;
    box.addEventListener("scroll", () => {
      const { top } = this;
      this.top = box.scrollTop;
      if (this.top !== top) this.draw();
    });
    new ResizeObserver(() => { this.view = box.clientHeight; this.top = box.scrollTop; this.draw(); }).observe(box);
    this.inner.addEventListener("click", (event) => {
      const element = event.target.closest(".item");
      if (element) { this.focus = +element.dataset.index; this.choose(this.focus); }
    });
    this.inner.addEventListener("keydown", (event) => this.key(event));
  }
  set(count) {
    this.count = count;
    this.focus = Math.min(this.focus, Math.max(0, count - 1));
    this.inner.style.height = `${count * this.height}px`;
    this.draw();
  }
  draw() {
    if (!this.view) return;
    const first = Math.max(0, Math.floor(this.top / this.height) - 5);
    const last = Math.min(this.count, Math.ceil((this.top + this.view) / this.height) + 5);
    const isFocused = this.inner.contains(document.activeElement);
    const items = [];
    for (let index = first; index < last; index++) items.push(this.element(index));
    if (this.count && (this.focus < first || this.focus >= last)) items.push(this.element(this.focus));
    this.inner.replaceChildren(...items);
    if (isFocused) this.inner.querySelector("[tabindex='0']")?.focus({ preventScroll: true });
  }
  element(index) {
    const element = this.item(index);
    element.classList.add("item");
    element.dataset.index = index;
    element.style.top = `${index * this.height}px`;
    element.tabIndex = index === this.focus ? 0 : -1;
    element.setAttribute("aria-posinset", index + 1);
    element.setAttribute("aria-setsize", this.count);
    return element;
  }
  show(index) {
    const top = index * this.height;
    this.view ||= this.box.clientHeight;
    if (this.view && (top < this.top || top + this.height > this.top + this.view)) {
      this.box.scrollTop = this.top = Math.max(0, Math.min(this.count * this.height - this.view, Math.round(top - this.view / 2)));
    }
    this.draw();
  }
  key(event) {
    const page = Math.max(1, Math.floor(this.view / this.height) - 1);
    const moves = { ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page, Home: -this.count, End: this.count };
    if (event.key === "Enter" || event.key === " ") this.choose(this.focus);
    else if (event.key in moves) this.focus = Math.max(0, Math.min(this.count - 1, this.focus + moves[event.key]));
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.show(this.focus);
    this.inner.querySelector(`[data-index="${this.focus}"]`)?.focus({ preventScroll: true });
  }
}

/** The authors of a history: their colours, and their patterns after eight. */
class Authors {
  constructor(edits) {
    this.names = [];
    const byName = new Map();
    for (const writer of edits.meta.writers) {
      const isAgent = writer.origin === "program";
      const name = shownName(writer.author ?? (writer.client ? `(${writer.client})` : "(no author)"), 60);
      const key = `${isAgent ? 1 : 0} ${name}`;
      if (!byName.has(key)) {
        byName.set(key, this.names.length);
        this.names.push({ name, isAgent, shown: isAgent ? `${name} AI` : name, edits: 0, inserted: 0, removed: 0 });
      }
      writer.by = byName.get(key);
    }
    for (let index = 0; index < edits.count; index++) {
      const author = this.names[edits.meta.writers[edits.writer[index]].by];
      author.edits++;
      author.inserted += edits.added[index];
      author.removed += edits.removed[index];
    }
    this.byWriter = Uint16Array.from(edits.meta.writers, (writer) => writer.by);
    this.edits = edits;
  }
  /** The author's index of an edit; -1 for the text before the first. */
  of(sequence) {
    const index = this.edits.index(sequence);
    return index < 0 ? -1 : this.byWriter[this.edits.writer[index]];
  }
  paint(element, by) {
    if (by < 0) return element;
    element.dataset.by = by;
    element.style.setProperty("--by", `var(--a${by % 8})`);
    if (this.names[by].isAgent) element.classList.add("agent");
    if (by >= 8) element.classList.add("second");
    return element;
  }
  swatch(by) { return this.paint(make("span", { className: "swatch" }), by); }
}
