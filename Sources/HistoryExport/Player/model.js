// The history in memory: its columns, the text at any version, and a search through all versions.

/** Reads the columns, whose numbers are LEB128. */
class Reader {
  constructor(bytes) { this.bytes = bytes; this.next = 0; }
  get isAtEnd() { return this.next >= this.bytes.length; }
  /** An unsigned number below 2^53. */
  unsigned() {
    let value = 0, factor = 1, byte;
    do {
      byte = this.bytes[this.next++];
      value += (byte & 127) * factor;
      factor *= 128;
    } while (byte > 127);
    return value;
  }
  /** A signed number: 0, -1, 1, -2, … are 0, 1, 2, 3, … */
  signed() {
    const value = this.unsigned();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
  /** The next part, which has its length before it. */
  part() {
    const length = this.unsigned();
    this.next += length;
    return new Reader(this.bytes.subarray(this.next - length, this.next));
  }
  string() { return new TextDecoder().decode(this.part().bytes); }
  /** UTF-16 units, of which lone surrogates have three bytes. */
  units() {
    const count = this.unsigned();
    const units = new Uint16Array(count);
    for (let index = 0; index < count;) {
      const byte = this.bytes[this.next++];
      if (byte < 0x80) {
        units[index++] = byte;
      } else if (byte < 0xe0) {
        units[index++] = (byte & 31) << 6 | this.bytes[this.next++] & 63;
      } else if (byte < 0xf0) {
        const middle = this.bytes[this.next++] & 63;
        units[index++] = (byte & 15) << 12 | middle << 6 | this.bytes[this.next++] & 63;
      } else {
        let scalar = byte & 7;
        for (let more = 0; more < 3; more++) scalar = scalar << 6 | this.bytes[this.next++] & 63;
        units[index++] = 0xd7c0 + (scalar >> 10);
        units[index++] = 0xdc00 | scalar & 1023;
      }
    }
    return units;
  }
}

/** Lets the browser draw. */
const pause = () => new Promise((resolve) => setTimeout(resolve));

/** The edits as columns. Edit 1 has index 0; `first` is the version before it. */
class Edits {
  static async read(reader) {
    const edits = new Edits();
    edits.meta = JSON.parse(reader.string());
    const count = edits.count = edits.meta.edits;
    edits.first = edits.meta.from;
    const [runs, moves, deleted, inserted, times, nanos, writers] =
      Array.from({ length: 7 }, () => reader.part());
    edits.blame = reader.part();
    edits.readSteps(reader.part(), reader.part());
    edits.costs = edits.readCosts(reader.part());
    edits.saves = edits.readNumbers(reader.part());
    edits.start = reader.units();
    edits.text = reader.units();
    edits.position = new Uint32Array(count);
    edits.removed = new Uint32Array(count);
    edits.added = new Uint32Array(count);
    edits.offset = new Uint32Array(count);
    edits.writer = new Uint16Array(count);
    edits.time = new Float64Array(count);
    edits.nanos = nanos.isAtEnd ? null : new Uint32Array(count);
    let end = 0, offset = 0, time = edits.meta.time, left = 0, writer = 0, writerLeft = 0;
    let move = 0, remove = 0, add = 0, began = performance.now();
    for (let index = 0; index < count; index++) {
      if (!left) {
        left = runs.unsigned();
        move = moves.signed(); remove = deleted.unsigned(); add = inserted.unsigned();
      }
      left--;
      if (!writerLeft) { writerLeft = writers.unsigned(); writer = writers.unsigned(); }
      writerLeft--;
      const position = end + move;
      edits.position[index] = position;
      edits.removed[index] = remove;
      edits.added[index] = add;
      edits.offset[index] = offset;
      edits.writer[index] = writer;
      time += times.unsigned();
      edits.time[index] = time * edits.meta.unit;
      if (edits.nanos) edits.nanos[index] = nanos.unsigned();
      offset += add;
      end = position + add;
      if (!(index & 0x3fff) && performance.now() - began > 12) {
        await pause();
        began = performance.now();
      }
    }
    edits.readBlame();
    return edits;
  }

  readNumbers(reader) {
    const numbers = [];
    for (let number = 0; !reader.isAtEnd;) numbers.push(number += reader.unsigned());
    return numbers;
  }

  /** The undo steps, and the edits after which another step is the current one. */
  readSteps(reader, moves) {
    this.steps = [];
    for (let first = 0, number = 1; !reader.isAtEnd; number++) {
      const parent = number - reader.unsigned();
      first += reader.unsigned();
      const last = first + reader.unsigned(), edits = reader.unsigned();
      const inserted = reader.unsigned(), deleted = reader.unsigned(), isUndone = reader.unsigned();
      this.steps.push({ number, parent, first, last, edits, inserted, deleted, isUndone: !!isUndone });
    }
    this.moves = [];
    for (let sequence = 0; !moves.isAtEnd;) {
      sequence += moves.unsigned();
      this.moves.push({ sequence, step: moves.unsigned() });
    }
    const ends = new Set(this.steps.map((step) => step.last));
    for (const move of this.moves) ends.add(move.sequence);
    this.boundaries = [...ends].sort((left, right) => left - right);
    const lastChild = new Map();
    for (const step of this.steps) lastChild.set(step.parent, step.number);
    const depths = [0];
    for (const step of this.steps) {
      step.depth = depths[step.parent] + (lastChild.get(step.parent) === step.number ? 0 : 1);
      depths[step.number] = step.depth;
    }
  }

  readCosts(reader) {
    const costs = [];
    for (let sequence = 0; !reader.isAtEnd;) {
      sequence += reader.unsigned();
      const units = reader.unsigned(), paragraphs = reader.unsigned(), total = reader.unsigned();
      const linear = reader.unsigned(), live = reader.unsigned();
      costs.push({ sequence, units, paragraphs, total, linear: linear - 1, live: live - 1 });
    }
    return costs;
  }

  /** The units whose writer is not the edit that brought them: what was moved, undone or redone. */
  readBlame() {
    this.origins = new Map();
    for (let sequence = this.first; !this.blame.isAtEnd;) {
      sequence += this.blame.unsigned();
      const pieces = [];
      let location = 0;
      for (let left = this.blame.unsigned(); left > 0; left--) {
        location += this.blame.unsigned();
        const length = this.blame.unsigned();
        pieces.push({ location, length, writer: sequence - this.blame.unsigned() });
        location += length;
      }
      this.origins.set(sequence - this.first - 1, pieces);
    }
  }

  get last() { return this.first + this.count; }
  index(sequence) { return sequence - this.first - 1; }
  timeOf(sequence) { return this.time[Math.max(0, Math.min(this.count - 1, this.index(sequence)))]; }
  writerOf(sequence) {
    const index = this.index(sequence);
    return index < 0 || index >= this.count ? null : this.meta.writers[this.writer[index]];
  }
  /** The number of the last version at a time in milliseconds. */
  versionAt(time) {
    let low = 0, high = this.count;
    while (low < high) {
      const middle = low + high >> 1;
      if (this.time[middle] <= time) low = middle + 1; else high = middle;
    }
    return this.first + low;
  }
  /** The number of the current undo step at a version; 0 for none. */
  stepAt(sequence) {
    const step = lastIndex(this.steps, (step) => step.first <= sequence);
    const move = lastIndex(this.moves, (move) => move.sequence <= sequence);
    if (move < 0 || step >= 0 && this.steps[step].first > this.moves[move].sequence) return step + 1;
    return this.moves[move].step;
  }
}

/** The index of the last element for which `test` is true, if those come first; -1 for none. */
function lastIndex(array, test) {
  let low = 0, high = array.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (test(array[middle])) low = middle + 1; else high = middle;
  }
  return low - 1;
}

const isEnd = (unit) => unit === 10 || unit === 0x2029;

/**
 * A text with the writer of each unit, in gap buffers, and for each paragraph the number of edits that
 * touched it. Both gaps are at the place of the last edit.
 */
class Text {
  constructor(frame) { this.restore(frame); }

  static frameOf(units) {
    let lines = 1;
    for (let index = 0; index < units.length; index++) {
      const unit = units[index];
      if (isEnd(unit) || unit === 13 && units[index + 1] !== 10) lines++;
    }
    return { units, writers: new Uint32Array(units.length), heat: new Uint32Array(lines) };
  }

  restore(frame) {
    const room = 4096;
    this.length = frame.units.length;
    this.units = new Uint16Array(this.length + room);
    this.writers = new Uint32Array(this.length + room);
    this.units.set(frame.units, room);
    this.writers.set(frame.writers, room);
    this.gap = 0;
    this.gapEnd = room;
    this.heat = new Uint32Array(frame.heat.length + 256);
    this.heat.set(frame.heat, 256);
    this.lineGap = 0;
    this.lineGapEnd = 256;
    /** Terminators before the unit before the gap. */
    this.ends = 0;
  }

  frame() {
    return { units: this.slice(), writers: this.part(this.writers), heat: this.heats() };
  }

  heats() {
    const heat = new Uint32Array(this.heat.length - (this.lineGapEnd - this.lineGap));
    heat.set(this.heat.subarray(0, this.lineGap));
    heat.set(this.heat.subarray(this.lineGapEnd), this.lineGap);
    return heat;
  }

  unit(index) { return this.units[index < this.gap ? index : index + this.gapEnd - this.gap]; }
  writer(index) { return this.writers[index < this.gap ? index : index + this.gapEnd - this.gap]; }

  part(array, start = 0, end = this.length) {
    const result = new array.constructor(end - start), shift = this.gapEnd - this.gap;
    const middle = Math.min(Math.max(this.gap, start), end);
    result.set(array.subarray(start, middle));
    result.set(array.subarray(middle + shift, end + shift), middle - start);
    return result;
  }
  slice(start, end) { return this.part(this.units, start, end); }

  /** True if the unit is a terminator, or the last of one. */
  endsAt(index) {
    if (index < 0 || index >= this.length) return false;
    const unit = this.unit(index);
    return isEnd(unit) || unit === 13 && (index + 1 >= this.length || this.unit(index + 1) !== 10);
  }

  countEnds(start, end) {
    let count = 0;
    for (let index = Math.max(0, start); index < end; index++) {
      if (this.endsAt(index)) count++;
    }
    return count;
  }

  moveGap(position) {
    const { units, writers, gap, gapEnd } = this;
    if (position < gap) {
      this.ends -= this.countEnds(position - 1, gap - 1);
      const count = gap - position;
      units.copyWithin(gapEnd - count, position, gap);
      writers.copyWithin(gapEnd - count, position, gap);
      this.gapEnd -= count;
    } else if (position > gap) {
      this.ends += this.countEnds(gap - 1, position - 1);
      const count = position - gap;
      units.copyWithin(gap, gapEnd, gapEnd + count);
      writers.copyWithin(gap, gapEnd, gapEnd + count);
      this.gapEnd += count;
    }
    this.gap = position;
  }

  grow(count) {
    const length = Math.ceil((this.length + count) * 1.5) + 4096, tail = this.length - this.gap;
    for (const name of ["units", "writers"]) {
      const array = new this[name].constructor(length);
      array.set(this[name].subarray(0, this.gap));
      array.set(this[name].subarray(this.gapEnd), length - tail);
      this[name] = array;
    }
    this.gapEnd = length - tail;
  }

  /** Applies an edit. */
  apply(edits, index) {
    const position = edits.position[index], removed = edits.removed[index];
    const added = edits.added[index], sequence = edits.first + index + 1;
    if (removed || added) {
      if (position !== this.gap) this.moveGap(position);
      // A terminator before the edit stays, unless it is a CR, which a following LF joins.
      const start = position && !isEnd(this.units[position - 1]) ? position - 1 : position;
      const skipped = start === position && position ? 1 : 0;
      const isAtStart = position === 0 || this.endsAt(position - 1);
      const isAtEnd = position + removed === this.length || this.endsAt(position + removed);
      const old = this.countEnds(start, position + removed);
      this.gapEnd += removed;
      this.length -= removed;
      if (this.gapEnd - this.gap < added) this.grow(added);
      if (added === 1) {
        this.units[this.gap] = edits.text[edits.offset[index]];
        this.writers[this.gap] = sequence;
      } else if (added) {
        const offset = edits.offset[index];
        this.units.set(edits.text.subarray(offset, offset + added), this.gap);
        this.writers.fill(sequence, this.gap, this.gap + added);
      }
      this.gap += added;
      this.length += added;
      const now = this.countEnds(start, position + added);
      const line = this.ends + skipped;
      this.replaceLines(line, old + 1, now + 1, isAtStart && !isAtEnd);
      this.ends += this.countEnds(position - 1, position + added - 1);
    }
    const pieces = edits.origins.get(index);
    if (pieces) for (const piece of pieces) this.attribute(piece);
  }

  /** Gives the units of a piece their writer. */
  attribute({ location, length, writer }) {
    const end = location + length, shift = this.gapEnd - this.gap;
    const middle = Math.min(Math.max(this.gap, location), end);
    this.writers.fill(writer, location, middle);
    this.writers.fill(writer, middle + shift, end + shift);
  }

  /** Replaces paragraphs. The last new one continues the old ones if `keepsLast`, else the first. */
  replaceLines(line, old, count, keepsLast) {
    const gap = this.lineGap;
    if (line < gap) {
      this.heat.copyWithin(this.lineGapEnd - (gap - line), line, gap);
      this.lineGapEnd -= gap - line;
    } else if (line > gap) {
      this.heat.copyWithin(gap, this.lineGapEnd, this.lineGapEnd + line - gap);
      this.lineGapEnd += line - gap;
    }
    this.lineGap = line;
    let most = 0;
    for (let left = old; left > 0; left--) most = Math.max(most, this.heat[this.lineGapEnd++]);
    if (this.lineGapEnd - this.lineGap < count) {
      const tail = this.heat.length - this.lineGapEnd;
      const heat = new Uint32Array(this.lineGap + Math.ceil((count + tail) * 1.5) + 256);
      heat.set(this.heat.subarray(0, this.lineGap));
      heat.set(this.heat.subarray(this.lineGapEnd), heat.length - tail);
      this.heat = heat;
      this.lineGapEnd = heat.length - tail;
    }
    // The gap stays before them, because most edits are in the same paragraph as the one before.
    this.lineGapEnd -= count;
    this.heat.fill(1, this.lineGapEnd, this.lineGapEnd + count);
    this.heat[this.lineGapEnd + (keepsLast ? count - 1 : 0)] = most + 1;
  }
}

/** The text at any version: keyframes, and the edits after them. */
class Replay {
  /** The number of edits between two keyframes, and the bytes of all of them. */
  static interval = 16384;
  static sizeMax = 1 << 27;

  constructor(edits) {
    this.edits = edits;
    this.frames = new Map([[0, Text.frameOf(edits.start)]]);
    this.size = 0;
    this.interval = Replay.interval;
    this.text = new Text(this.frames.get(0));
    this.version = 0;
    this.removed = new Uint16Array(0);
  }

  keep() {
    if (this.version % this.interval || this.frames.has(this.version)) return;
    const frame = this.text.frame();
    this.frames.set(this.version, frame);
    this.size += 6 * frame.units.length + 4 * frame.heat.length;
    while (this.size > Replay.sizeMax && this.interval < this.edits.count) {
      this.interval *= 2;
      for (const [version, frame] of this.frames) {
        if (version % this.interval === 0) continue;
        this.frames.delete(version);
        this.size -= 6 * frame.units.length + 4 * frame.heat.length;
      }
    }
  }

  /** Makes all keyframes, and draws in between. */
  async prepare(report) {
    let began = performance.now();
    while (this.version < this.edits.count) {
      this.forward(Math.min(this.edits.count, this.version + 4096));
      if (performance.now() - began < 12) continue;
      report(this.version / this.edits.count);
      await pause();
      began = performance.now();
    }
  }

  forward(target) {
    while (this.version < target) {
      if (this.version === target - 1) {
        const { position, removed } = this.edits, at = position[this.version];
        this.removed = this.text.slice(at, at + Math.min(removed[this.version], 4096));
      }
      this.text.apply(this.edits, this.version++);
      if (this.version % this.interval === 0) this.keep();
    }
  }

  /** Goes to a version, counted from the first of this file. */
  seek(target) {
    const base = Math.max(0, Math.floor((target - 1) / this.interval) * this.interval);
    if (target < this.version || base > this.version && this.frames.has(base)) {
      let frame = base;
      while (!this.frames.has(frame)) frame -= this.interval;
      this.text.restore(this.frames.get(frame));
      this.version = frame;
    }
    if (!target) this.removed = new Uint16Array(0);
    this.forward(target);
  }
}

/** Small letters of units, so that a search for small letters finds large ones. */
const smallLetters = (() => {
  let table = null;
  return () => {
    if (table) return table;
    table = new Uint16Array(0x10000);
    for (let unit = 0; unit < 0x10000; unit++) {
      const small = unit < 0xd800 || unit > 0xdfff ? String.fromCharCode(unit).toLowerCase() : "";
      table[unit] = small.length === 1 ? small.charCodeAt(0) : unit;
    }
    return table;
  };
})();

/** Finds a text in all versions: where it is now, and where it was until an edit took it away. */
class Search {
  static hitsMax = 500;

  constructor(edits, query) {
    this.edits = edits;
    this.fold = query === query.toLowerCase() ? smallLetters() : null;
    this.query = Uint16Array.from({ length: query.length }, (_, index) => query.charCodeAt(index));
    this.hits = [];
    this.live = [];
    this.isFull = false;
    this.isCancelled = false;
  }

  matches(text, start) {
    if (start < 0 || start + this.query.length > text.length) return false;
    for (let index = 0; index < this.query.length; index++) {
      const unit = text.unit(start + index);
      if ((this.fold ? this.fold[unit] : unit) !== this.query[index]) return false;
    }
    return true;
  }

  excerpt(text, start) {
    const low = Math.max(0, start - 24), high = Math.min(text.length, start + this.query.length + 40);
    return {
      before: text.slice(low, start), found: text.slice(start, start + this.query.length),
      after: text.slice(start + this.query.length, high),
    };
  }

  find(text, low, high, sequence, gone) {
    for (let start = Math.max(0, low); start < high; start++) {
      if (!this.matches(text, start)) continue;
      const same = gone.findIndex((hit) => hit.start === start);
      if (same >= 0) {
        this.live.push(gone.splice(same, 1)[0]);
      } else if (this.hits.length < Search.hitsMax) {
        const hit = { start, from: sequence, to: null };
        this.hits.push(hit);
        this.live.push(hit);
      } else {
        this.isFull = true;
      }
    }
  }

  async run(report) {
    const { edits } = this, text = new Text(Text.frameOf(edits.start)), length = this.query.length;
    this.find(text, 0, text.length, edits.first, []);
    let began = performance.now();
    for (let index = 0; index < edits.count && !this.isCancelled; index++) {
      const position = edits.position[index], removed = edits.removed[index];
      const added = edits.added[index], sequence = edits.first + index + 1, gone = [];
      if (this.live.length && (removed || added)) {
        const stay = [];
        for (const hit of this.live) {
          if (hit.start < position + removed && hit.start + length > position
            || hit.start < position && hit.start + length > position) {
            hit.excerpt = this.excerpt(text, hit.start);
            gone.push(hit);
          } else {
            if (hit.start >= position + removed) hit.start += added - removed;
            stay.push(hit);
          }
        }
        this.live = stay;
      }
      text.apply(edits, index);
      if (removed || added) {
        const high = added ? position + added : position;
        this.find(text, position - length + 1, high, sequence, gone);
      }
      for (const hit of gone) hit.to = sequence;
      if (!(index & 1023) && performance.now() - began > 12) {
        report(index / edits.count);
        await pause();
        began = performance.now();
      }
    }
    for (const hit of this.live) hit.excerpt = this.excerpt(text, hit.start);
    return this;
  }
}
