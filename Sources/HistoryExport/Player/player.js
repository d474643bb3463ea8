// The player: what the page shows, and what its keys and buttons do.

class Player {
  /** The maximum length of a removed text that is shown, in UTF-16 units. */
  static removedMax = 65536;
  static speeds = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256];

  constructor(edits) {
    this.edits = edits;
    this.replay = new Replay(edits);
    this.authors = new Authors(edits);
    this.version = edits.last;
    this.line = 0;
    this.speed = 4;
    this.idle = 2000;
    this.visited = [];
    this.showsColours = this.authors.names.length > 1;
    this.follows = true;
    this.usesKeys = true;
    this.isLocal = true;
    this.showsRemoved = false;
    this.noTimes = !edits.count || edits.time[edits.count - 1] === edits.time[0];
    this.breaks = [];
    for (let index = 1; index < edits.count; index++) {
      if (edits.time[index] - edits.time[index - 1] > 1800000) this.breaks.push(edits.first + index);
    }
    this.marks = edits.meta.marks;
  }

  // MARK: Words

  number(value) { return Player.numbers.format(value); }
  static numbers = new Intl.NumberFormat("en-GB");
  /** The forms of dates and times. They are kept, because to make one takes longer than to use it. */
  format(name) {
    const zone = this.isLocal ? {} : { timeZone: "UTC" }, key = `${name} ${this.isLocal}`;
    const options = {
      date: { weekday: "short", day: "numeric", month: "short", year: "numeric" },
      longDate: { day: "numeric", month: "long", year: "numeric" },
      shortDate: { day: "numeric", month: "short", year: "2-digit" },
      day: { dateStyle: "short" },
      time: { timeStyle: "medium" },
      minute: { hour: "2-digit", minute: "2-digit" },
    };
    this.formats ??= new Map();
    if (!this.formats.has(key)) this.formats.set(key, new Intl.DateTimeFormat("en-GB", { ...options[name], ...zone }));
    return this.formats.get(key);
  }
  time(milliseconds, isLong = false) {
    const date = new Date(milliseconds);
    if (Number.isNaN(date.getTime())) return "at an unknown time";
    const day = this.format(isLong ? "longDate" : "date").format(date);
    return `${day}, ${this.format("time").format(date)}${this.isLocal ? "" : " UTC"}`;
  }
  /** The time of day, if it is the last day of the history, else the date. */
  clockOf(milliseconds) {
    const date = new Date(milliseconds);
    if (Number.isNaN(date.getTime())) return "";
    const last = this.format("day").format(new Date(this.edits.timeOf(this.edits.last)));
    return this.format(this.format("day").format(date) === last ? "minute" : "shortDate").format(date);
  }
  duration(nanoseconds) {
    if (nanoseconds < 0) return "\u2013";
    if (nanoseconds < 1e6) return `${(nanoseconds / 1e3).toFixed(nanoseconds < 1e4 ? 1 : 0)} \u00b5s`;
    return nanoseconds < 1e9 ? `${(nanoseconds / 1e6).toFixed(1)} ms` : `${(nanoseconds / 1e9).toFixed(1)} s`;
  }
  authorOf(sequence) {
    const by = this.authors.of(sequence);
    return by < 0 ? "the text before" : this.authors.names[by].shown;
  }
  describe(sequence, isLong) {
    const { edits } = this;
    if (sequence <= edits.first) return `version ${this.number(edits.first)}, before the first edit`;
    const when = this.time(edits.timeOf(sequence), isLong);
    return `${isLong ? `${when}, ` : ""}edit ${this.number(sequence)} of ${this.number(edits.last)}${isLong ? "" : `, ${when}`}, ${this.authorOf(sequence)}`;
  }

  // MARK: Start

  async start() {
    const { edits } = this;
    const [name, slider] = [find("name"), find("slider")];
    const shown = shownName(edits.meta.document);
    name.textContent = shown;
    document.title = `${shown} \u2013 history`;
    slider.min = edits.first;
    slider.max = edits.last;
    for (const speed of Player.speeds) find("speed").append(make("option", { value: speed, textContent: `${speed}\u00d7` }));
    find("speed").value = this.speed;
    this.connect();
    find("colours").setAttribute("aria-pressed", this.showsColours);
    this.replay.forward(0);
    await this.replay.prepare((done) => { find("point").textContent = `Reading the history: ${Math.round(100 * done)} %`; });
    this.fillAuthors();
    this.fillCosts();
    this.steps.set(edits.steps.length);
    this.selectTab("steps");
    this.goToHash();
    find("player").focus({ preventScroll: true });
  }

  connect() {
    const on = (id, event, action) => find(id).addEventListener(event, action);
    on("slider", "input", () => { this.stop(); this.go(+find("slider").value); });
    on("slider", "change", () => this.settle());
    on("slider", "keydown", (event) => this.sliderKey(event));
    on("slider", "pointermove", (event) => this.tip(event));
    on("slider", "pointerleave", () => { find("tip").hidden = true; });
    on("play", "click", () => this.toggle());
    on("start", "click", () => this.jump(this.edits.first));
    on("end", "click", () => this.jump(this.edits.last));
    on("back", "click", () => this.step(-1));
    on("forward", "click", () => this.step(1));
    on("speed", "change", () => { this.speed = +find("speed").value; });
    on("idle", "change", () => { this.idle = +find("idle").value; });
    on("follow", "click", () => this.setFollow(!this.follows));
    on("colours", "click", () => this.setColours(!this.showsColours));
    on("whole", "click", () => this.setRemoved(!this.showsRemoved));
    on("copy", "click", () => this.copy());
    on("theme", "click", () => this.nextTheme());
    on("help", "click", () => this.help());
    on("single", "change", () => { this.usesKeys = find("single").checked; });
    on("find", "submit", (event) => { event.preventDefault(); this.search(); });
    on("scroller", "scroll", () => {
      const { top } = this;
      this.top = find("scroller").scrollTop;
      if (!this.layout || this.top === top) return;
      this.drawRows();
      this.drawView();
    });
    on("heat", "click", (event) => {
      this.showRow(Math.min(this.layout.rows.length - 1, Math.floor(event.offsetY / this.rowSize(find("heat").clientHeight))));
    });
    on("text", "mousemove", (event) => this.hover(event));
    on("text", "mouseleave", () => this.blame(null));
    on("text", "focusin", (event) => this.focusLine(event));
    on("text", "click", (event) => {
      if (event.target.closest("del")) return this.setRemoved(!this.showsRemoved);
      const offset = this.offsetAt(event);
      if (offset !== null && getSelection().isCollapsed) this.blame(offset, true);
    });
    on("text", "dblclick", (event) => {
      const offset = this.offsetAt(event);
      if (offset !== null && offset < this.replay.text.length) this.visit(this.replay.text.writer(offset));
    });
    document.addEventListener("keydown", (event) => this.key(event));
    for (const tab of document.querySelectorAll("[role=tab]")) {
      tab.addEventListener("click", () => this.selectTab(tab.id.slice(4)));
      tab.addEventListener("keydown", (event) => this.tabKey(event));
    }
    addEventListener("hashchange", () => this.goToHash());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.drawTheme());
    this.steps = new LongList(find("steps"), 28, (index) => this.stepItem(index), (index) => this.visit(this.edits.steps[index].last));
    this.hits = new LongList(find("hits"), 50, (index) => this.hitItem(index), (index) => this.goToHit(index));
    const resize = new ResizeObserver(() => { this.boxes = null; this.measure(); this.drawDensity(); });
    resize.observe(find("document"));
    resize.observe(find("timeline"));
  }

  // MARK: Moving

  /** Shows a version. `isQuiet` leaves the scroll position alone. */
  go(sequence, isQuiet = false) {
    const { edits, replay } = this;
    this.version = Math.max(edits.first, Math.min(edits.last, Math.round(sequence)));
    replay.seek(this.version - edits.first);
    this.found = null;
    this.say("");
    this.draw(isQuiet);
  }
  /** Shows a version, speaks it, and writes it into the address. */
  jump(sequence) { this.stop(); this.go(sequence); this.settle(); }
  /** As `jump`, but Backspace comes back. */
  visit(sequence) {
    if (sequence === this.version) return;
    this.visited.push(this.version);
    this.jump(sequence);
  }
  settle() {
    find("live").textContent = this.describe(this.version, true);
    try { history.replaceState(null, "", `#${this.version}`); } catch { /* The address stays. */ }
    this.steps.show(Math.max(0, this.edits.stepAt(this.version) - 1));
  }
  /** Shows the version that the fragment of the URL names, or a message if it names none. */
  goToHash() {
    let hash = location.hash.slice(1);
    try { hash = decodeURIComponent(hash); } catch { /* It stays as it is written. */ }
    const target = this.targetOf(hash);
    if (typeof target === "number") return this.go(target);
    if (!this.layout) this.go(this.edits.last, true);
    if (target) this.say(target);
  }
  /** The version that a fragment names; a message if it is invalid; null if it is empty. */
  targetOf(hash) {
    const { edits } = this, shown = `\u201c${shownName(hash, 40)}\u201d`;
    if (!hash) return null;
    if (/^\d+$/.test(hash)) {
      return +hash >= edits.first && +hash <= edits.last ? +hash
        : `${shown} is not between ${this.number(edits.first)} and ${this.number(edits.last)}`;
    }
    if (hash.startsWith("mark:")) {
      return this.marks.findLast((mark) => mark.label === hash.slice(5))?.at ?? `there is no mark ${shown.replace("mark:", "")}`;
    }
    const value = hash.slice(2), time = /^-?\d+(\.\d+)?$/.test(value) ? 1000 * value : Date.parse(value);
    if (!hash.startsWith("t=") || Number.isNaN(time)) return `${shown} is no version, #t=TIME or #mark:NAME`;
    // A time without a fraction is the end of its second, as for `editlog show --at`.
    return edits.versionAt(/\.\d/.test(value) ? time : time + 999.999);
  }
  /** Shows a message above the text, until the next version is shown. */
  say(message) {
    find("notice").textContent = message;
    find("notice").hidden = !message;
  }
  /** The next of some ascending versions, or the one before. */
  toNext(versions, direction) {
    const before = lastIndex(versions, (version) => version < this.version + (direction > 0 ? 1 : 0));
    const target = direction > 0 ? versions[before + 1] : versions[before];
    this.jump(target ?? (direction > 0 ? this.edits.last : this.edits.first));
  }
  step(direction) { this.toNext(this.edits.boundaries, direction); }

  // MARK: Playing

  get isPlaying() { return this.clock !== undefined; }
  toggle() { this.isPlaying ? (this.stop(), this.settle()) : this.play(); }
  play() {
    if (this.version >= this.edits.last) this.go(this.edits.first);
    this.clock = null;
    this.due = 0;
    find("play").classList.add("playing");
    find("play").setAttribute("aria-label", "Pause");
    find("live").textContent = "";
    const frame = (now) => {
      if (!this.isPlaying) return;
      this.advance(this.clock === null ? 0 : Math.min(now - this.clock, 250));
      this.clock = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }
  stop() {
    if (!this.isPlaying) return;
    this.clock = undefined;
    find("play").classList.remove("playing");
    find("play").setAttribute("aria-label", "Play");
  }
  /** The time between an edit and the one before it, as it is played. */
  delay(index) {
    if (this.noTimes) return 40;
    if (!index) return 0;
    return Math.min(Math.max(0, this.edits.time[index] - this.edits.time[index - 1]), this.idle);
  }
  /** Plays some milliseconds: all edits that are due, drawn once. */
  advance(milliseconds) {
    const { edits } = this, start = this.version;
    this.due += milliseconds * this.speed;
    let next = this.version;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      // One undo step a second, whatever the speed.
      if (this.due < 1000 * this.speed) return;
      this.due = 0;
      next = edits.boundaries[lastIndex(edits.boundaries, (version) => version <= next) + 1] ?? edits.last;
    }
    while (next < edits.last && this.due >= this.delay(next - edits.first)) this.due -= this.delay(next++ - edits.first);
    if (next !== start) this.go(next);
    if (next >= edits.last) { this.stop(); this.settle(); }
  }

  // MARK: Drawing

  measure() {
    const probe = make("span", { textContent: "0".repeat(100) });
    const box = make("div", { className: "row" }, probe);
    find("text").append(box);
    const width = probe.getBoundingClientRect().width / 100, height = box.getBoundingClientRect().height;
    box.remove();
    const scroller = find("scroller"), room = scroller.clientWidth, isWide = room > 760;
    [this.view, this.top] = [scroller.clientHeight, scroller.scrollTop];
    find("text").classList.toggle("wide", isWide);
    // The margin has names only if there are several authors.
    const margin = this.authors.names.length > 1 ? 232 : 142;
    find("text").style.setProperty("--margin", `${margin}px`);
    this.rowHeight = height || 24;
    this.columns = Math.max(16, Math.min(100, Math.floor((room - (isWide ? margin : 16) - 12) / (width || 9))));
    if (this.layout) this.draw(true);
  }

  draw(isQuiet) {
    const { edits, replay, version } = this, index = edits.index(version);
    if (!this.columns) this.measure();
    this.layout = new Layout(replay.text, this.columns, this.layout);
    this.change = index < 0 ? null
      : { start: edits.position[index], end: edits.position[index] + edits.added[index], removed: replay.removed };
    const height = Math.min(this.layout.rows.length * this.rowHeight + 80, 15e6);
    if (height !== this.height) find("text").style.height = `${this.height = height}px`;
    if (!isQuiet && this.follows && this.change) this.showRow(this.layout.rowAt(Math.max(this.change.start, this.change.end - 1)));
    this.drawRows();
    // While the text plays, a few times a second are enough.
    if (!this.isPlaying || performance.now() - this.heatTime > 250) this.drawHeat();
    const slider = find("slider");
    slider.value = version;
    slider.setAttribute("aria-valuetext", this.describe(version, true));
    this.drawPoint();
    this.drawRemoved();
    this.drawCaret();
    const step = edits.stepAt(version);
    if (step !== this.shownStep && !(this.isPlaying && performance.now() - this.stepTime < 250)) {
      [this.shownStep, this.stepTime] = [step, performance.now()];
      this.steps.focus = Math.max(0, step - 1);
      this.steps.show(this.steps.focus);
    }
  }

  drawPoint() {
    const { edits, version } = this, index = edits.index(version), point = find("point");
    if (index < 0) {
      point.replaceChildren(make("b", { textContent: `version ${this.number(version)}` }), edits.count ? " before the first edit" : " no edits");
    } else {
      const parts = [` of ${this.number(edits.last)} \u00b7 ${this.time(edits.timeOf(version))} \u00b7 `];
      parts.push(this.authors.swatch(this.authors.of(version)), make("bdi", { textContent: this.authorOf(version) }), ` \u00b7 ${edits.writerOf(version).origin}`);
      if (edits.added[index]) parts.push(" ", make("span", { className: "plus", textContent: `+${this.number(edits.added[index])}` }));
      if (edits.removed[index]) parts.push(" ", make("span", { className: "minus", textContent: `\u2212${this.number(edits.removed[index])} ${shownLine(this.replay.removed, 40)}` }));
      point.replaceChildren(make("b", { textContent: `edit ${this.number(version)}` }), ...parts);
    }
    const saved = lastIndex(edits.saves, (save) => save <= version);
    const step = edits.stepAt(version);
    find("clock").textContent = [
      step ? `step ${this.number(step)} of ${this.number(edits.steps.length)}` : "",
      saved >= 0 ? `save ${this.number(saved + 1)} of ${this.number(edits.saves.length)}` : "",
      `${this.number(this.replay.text.length)} units`,
    ].filter(Boolean).join(" \u00b7 ");
  }

  /** Shows the full text that the current edit removed, if enabled. The row shows only its start. */
  drawRemoved() {
    const box = find("removed"), { removed } = this.replay, most = Player.removedMax;
    const isShown = this.showsRemoved && this.change !== null && removed.length > 0;
    find("whole").setAttribute("aria-pressed", this.showsRemoved);
    if (!isShown) return void (box.hidden = true);
    const rest = removed.length - most;
    box.replaceChildren(make("h2", { textContent: `Removed by edit ${this.number(this.version)}: ${this.number(removed.length)} units` }),
      make("pre", { dir: "auto", textContent: shownText(removed.subarray(0, most)) }),
      rest > 0 ? make("p", { textContent: `and ${this.number(rest)} units more` }) : "");
    box.hidden = false;
    box.scrollTop = 0;
  }

  /** The first row in view, for a scroll position that is scaled if the text is very long. */
  get scrollScale() {
    const all = this.layout.rows.length * this.rowHeight + 80;
    return this.height < all ? (all - this.view) / (this.height - this.view) : 1;
  }
  showRow(row) {
    const top = row * this.rowHeight, { view } = this, scale = this.scrollScale, at = this.top * scale;
    if (top >= Math.min(at, at + this.rowHeight * (at > 0)) && top + 3 * this.rowHeight <= at + view) return;
    const most = Math.max(0, this.height - view);
    find("scroller").scrollTop = this.top = Math.round(Math.min(most, Math.max(0, top - view * 0.4) / scale));
  }

  drawRows() {
    const { layout } = this;
    if (!layout) return;
    const box = find("text"), height = this.rowHeight;
    const top = this.top * this.scrollScale, shift = this.top - top;
    const first = Math.max(0, Math.floor(top / height) - 8);
    const last = Math.min(layout.rows.length, Math.ceil((top + this.view) / height) + 8);
    const isFocused = box.contains(document.activeElement), elements = [];
    box.classList.toggle("blamed", this.showsColours);
    this.line = Math.min(this.line, layout.lines.length - 1);
    const firstLine = layout.lineOfRow(first), at = this.change ? layout.lineAt(this.change.start) : -1;
    if (!isFocused && (layout.rowLines[this.line] < first || layout.rowLines[this.line] >= last)) {
      this.line = Math.min(firstLine + 1, layout.lineOfRow(Math.max(first, last - 1)));
    }
    let shown = "";
    for (let line = firstLine; line < layout.lines.length && layout.rowLines[line] < last; line++) {
      const begin = layout.rowLines[line], end = line + 1 < layout.lines.length ? layout.rowLines[line + 1] : layout.rows.length;
      const element = make("div", { className: "line", tabIndex: line === this.line ? 0 : -1, role: "listitem" });
      element.dataset.line = line;
      element.setAttribute("aria-posinset", line + 1);
      element.setAttribute("aria-setsize", layout.lines.length);
      if (line === at) element.classList.add("at");
      const from = Math.max(begin, first), until = Math.min(end, last);
      element.style.top = `${from * height + shift}px`;
      const newest = this.newestWriter(line), by = this.authors.of(newest);
      if (layout.lineEnd(line) > layout.lines[line]) {
        const bar = this.authors.paint(make("span", { className: "bar" }), by);
        element.append(bar);
        if (from === begin) {
          const words = newest ? `${this.clockOf(this.edits.timeOf(newest))} ` : "";
          const label = this.authors.paint(make("span", { className: "by" }), by);
          label.classList.remove("agent");
          if (`${words}${by}` !== shown || line === at) label.append(words, make("b", { textContent: by < 0 || this.authors.names.length < 2 ? "" : `${this.authors.names[by].shown} ` }), this.number(newest));
          label.setAttribute("aria-hidden", "true");
          element.append(label);
          shown = `${words}${by}`;
        }
      }
      for (let row = from; row < until; row++) element.append(this.rowElement(row));
      elements.push(element);
    }
    box.replaceChildren(...elements);
    if (isFocused) this.lineElement()?.focus({ preventScroll: true });
  }

  newestWriter(line) {
    let newest = 0;
    const end = Math.min(this.layout.lineEnd(line), this.layout.lines[line] + 20000);
    for (let index = this.layout.lines[line]; index < end; index++) {
      newest = Math.max(newest, this.replay.text.writer(index));
    }
    return newest;
  }

  rowElement(row) {
    const { layout, change, found, same } = this, { text } = this.replay, { units } = layout;
    const start = layout.rows[row], end = layout.contentEnd(row);
    const element = make("span", { className: "row", dir: "auto" });
    element.dataset.start = start;
    const marksHere = (place) => change && place === change.start && row === layout.rowAt(Math.min(change.start, units.length));
    let piece = null, words = "", began = start;
    const flush = (at) => {
      if (words && piece) { piece.append(words); element.append(piece); }
      words = "";
      began = at;
    };
    let state = null;
    for (let index = start; index <= end; index++) {
      if (marksHere(index) && change.removed.length) {
        flush(index);
        state = null;
        element.append(make("del", { textContent: shownLine(change.removed, Math.max(4, Math.min(40, this.columns - (end - start)))) }));
      } else if (marksHere(index) && change.start === change.end) {
        flush(index);
        state = null;
        element.append(make("ins"));
      }
      if (index === end) break;
      const writer = text.writer(index), by = this.authors.of(writer);
      const isNew = change && index >= change.start && index < change.end;
      const isFound = found && index >= found.start && index < found.end;
      const sign = signOf(units, index);
      const next = `${by}${isNew ? "n" : ""}${isFound ? "f" : ""}${same === writer ? "s" : ""}`;
      if (next !== state || sign) {
        flush(index);
        piece = this.authors.paint(make("span"), by);
        if (isNew) piece.classList.add("new");
        if (isFound) piece.classList.add("found");
        if (same === writer) piece.classList.add("same");
        piece.dataset.start = index;
        state = next;
      }
      if (sign) {
        piece.append(make("span", { className: "code", textContent: sign }));
        element.append(piece);
        state = null;
      } else {
        words += String.fromCharCode(units[index]);
      }
    }
    flush(end);
    if (!element.firstChild) element.append("\u200b");
    return element;
  }

  // MARK: Canvases

  colour(name) {
    this.colourValues ??= new Map();
    if (!this.colourValues.has(name)) {
      this.colourValues.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
    }
    return this.colourValues.get(name);
  }
  /** Draws the canvases in the colours of another theme. */
  drawTheme() {
    this.colourValues = null;
    this.drawDensity();
    if (this.layout) this.drawHeat();
  }
  context(canvas) {
    // The size is kept, because to ask for it lays the page out.
    this.boxes ??= new Map();
    if (!this.boxes.has(canvas)) this.boxes.set(canvas, [canvas.clientWidth, canvas.clientHeight]);
    const ratio = devicePixelRatio || 1, [width, height] = this.boxes.get(canvas);
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    return { context, width, height };
  }

  drawHeat() {
    this.heatTime = performance.now();
    const { context, width, height } = this.context(find("heat")), { layout } = this, heat = this.replay.text.heats();
    const size = this.rowSize(height), most = Math.log1p(heat.reduce((a, b) => Math.max(a, b), 1));
    context.fillStyle = this.colour("--accent");
    let hottest = 0;
    for (let line = 0; line < layout.lines.length; line++) {
      const top = layout.rowLines[line] * size, end = (layout.rowLines[line + 1] ?? layout.rows.length) * size;
      // Lines that share a pixel show the hottest of them.
      hottest = Math.max(hottest, layout.lineEnd(line) > layout.lines[line] + 1 ? heat[line] ?? 0 : 0);
      if (Math.floor(end) === Math.floor(top) && line + 1 < layout.lines.length) continue;
      context.globalAlpha = 0.9 * Math.log1p(hottest) / most;
      context.fillRect(2, Math.floor(top), width - 2, Math.max(1, end - Math.floor(top) - (size > 4 ? 2 : 0)));
      hottest = 0;
    }
    context.globalAlpha = 1;
    this.drawView();
  }
  /** The height of a row in the heat strip: that of the text, if it all fits. */
  rowSize(height) { return Math.min(this.rowHeight, height / this.layout.rows.length); }
  /** A frame around the part of the strip that is in view. */
  drawView() {
    const view = find("view"), height = this.view, size = this.rowSize(height);
    view.hidden = size >= this.rowHeight;
    const length = Math.max(8, Math.min(height, height / this.rowHeight * size));
    view.style.height = `${length}px`;
    view.style.top = `${Math.min(height - length, this.top * this.scrollScale / this.rowHeight * size)}px`;
  }

  place(sequence, width) {
    const { edits } = this;
    return 8 + (width - 16) * (edits.count ? (sequence - edits.first) / edits.count : 0);
  }

  /** The bars of the timeline: units typed in by each author above the line, and removed ones below. */
  drawDensity() {
    const canvas = find("density");
    const { context, width, height } = this.context(canvas), { edits } = this;
    if (width < 32) return;
    const bins = Math.max(1, Math.min(Math.floor((width - 16) / 3), edits.count)), names = this.authors.names.length;
    const added = new Float64Array(bins * names), removed = new Float64Array(bins), sums = new Float64Array(bins);
    for (let index = 0; index < edits.count; index++) {
      const bin = Math.floor(index * bins / edits.count);
      const by = this.authors.byWriter[edits.writer[index]];
      added[bin * names + by] += edits.added[index];
      sums[bin] += edits.added[index];
      removed[bin] += edits.removed[index];
    }
    // A few large pastes must not make all else flat: bars end at one and a half times nearly all others.
    const sizes = Float64Array.from([...sums, ...removed].filter(Boolean)).sort();
    const most = Math.log1p(Math.max(1, 1.5 * (sizes[Math.floor(0.97 * (sizes.length - 1))] ?? 1))), base = Math.round(height * 0.7);
    const part = (value) => Math.min(1, Math.log1p(value) / most);
    context.fillStyle = this.colour("--idle");
    for (const version of this.breaks) context.fillRect(Math.round(this.place(version, width)), 12, 1, height - 12);
    const wide = (width - 16) / bins;
    for (let bin = 0; bin < bins; bin++) {
      const x = 8 + bin * wide, full = sums[bin] ? (base - 13) * part(sums[bin]) : 0;
      let y = base;
      for (let by = 0; by < names; by++) {
        const size = sums[bin] ? full * added[bin * names + by] / sums[bin] : 0;
        if (!size) continue;
        context.fillStyle = this.colour(`--a${by % 8}`);
        context.globalAlpha = this.authors.names[by].isAgent ? 0.55 : 1;
        context.fillRect(x, y - size, Math.max(1, wide - 1), size);
        if (this.authors.names[by].isAgent) {
          context.globalAlpha = 1;
          for (let line = y; line > y - size; line -= 4) context.fillRect(x, line - 1, Math.max(1, wide - 1), 1);
        }
        y -= size;
      }
      context.globalAlpha = 0.75;
      context.fillStyle = this.colour("--gone");
      const down = removed[bin] ? (height - base - 2) * part(removed[bin]) : 0;
      context.fillRect(x, base + 1, Math.max(1, wide - 1), down);
      context.globalAlpha = 1;
    }
    context.fillStyle = this.colour("--line");
    context.fillRect(8, base, width - 16, 1);
    context.fillStyle = this.colour("--dim");
    context.font = `11px ${this.colour("--ui")}`;
    context.textAlign = "center";
    for (const [label, versions] of [["S", edits.saves], ["M", this.marks.map((mark) => mark.at)]]) {
      let free = -1;
      for (const version of versions) {
        const x = this.place(version, width);
        context.fillRect(Math.round(x), 10, 1, 4);
        if (x < free) continue;
        context.fillText(label, x, 9);
        free = x + 12;
      }
    }
    this.drawCaret();
  }

  drawCaret() {
    const { context, width, height } = this.context(find("caret")), x = Math.round(this.place(this.version, width));
    context.fillStyle = this.colour("--page");
    context.globalAlpha = 0.55;
    context.fillRect(x, 0, width - x, height);
    context.globalAlpha = 1;
    context.fillStyle = this.colour("--accent");
    context.fillRect(x - 1, 0, 2, height);
  }

  tip(event) {
    const { edits } = this, width = find("timeline").clientWidth, tip = find("tip");
    const part = Math.max(0, Math.min(1, (event.offsetX - 8) / (width - 16)));
    const version = edits.first + Math.round(part * edits.count);
    tip.textContent = `${this.number(version)} \u00b7 ${this.time(edits.timeOf(version))}`;
    tip.style.left = `${Math.max(100, Math.min(width - 100, event.offsetX))}px`;
    tip.hidden = event.pointerType === "touch";
  }

  // MARK: Blame

  offsetAt(event) {
    const row = event.target.closest?.(".row");
    if (!row || !document.caretPositionFromPoint && !document.caretRangeFromPoint) return null;
    const place = document.caretPositionFromPoint?.(event.clientX, event.clientY)
      ?? ((range) => range && { offsetNode: range.startContainer, offset: range.startOffset })(document.caretRangeFromPoint(event.clientX, event.clientY));
    const piece = place?.offsetNode?.parentElement?.closest("[data-start]");
    if (!piece) return null;
    return piece === row ? +row.dataset.start : +piece.dataset.start + (place.offsetNode.parentElement === piece ? place.offset : 0);
  }
  hover(event) {
    const offset = this.offsetAt(event);
    this.blame(offset === null || offset >= this.replay.text.length ? null : offset);
  }
  /** Says which edit wrote a unit, and underlines what that edit wrote. */
  blame(offset, isKept = false) {
    const box = find("blame"), writer = offset === null || offset >= this.replay.text.length ? null : this.replay.text.writer(offset);
    if (writer === this.same && !isKept) return;
    this.same = writer;
    if (writer === null) {
      box.textContent = "";
    } else {
      const { edits } = this, index = edits.index(writer);
      const words = index < 0 ? new Uint16Array(0) : edits.text.subarray(edits.offset[index], edits.offset[index] + edits.added[index]);
      box.replaceChildren("written by ", this.authors.swatch(this.authors.of(writer)), make("b", { textContent: this.authorOf(writer) }),
        index < 0 ? "" : ` \u00b7 edit ${this.number(writer)} \u00b7 ${this.time(edits.timeOf(writer))} \u00b7 ${edits.writerOf(writer).origin} `,
        words.length ? make("q", { textContent: shownLine(words, 60) }) : "");
    }
    for (const piece of find("text").querySelectorAll("[data-start]:not(.row)")) {
      piece.classList.toggle("same", writer !== null && this.replay.text.writer(+piece.dataset.start) === writer);
    }
  }
  lineElement() { return find("text").querySelector(`[data-line="${this.line}"]`); }
  focusLine(event) {
    const element = event.target.closest(".line");
    if (!element) return;
    this.line = +element.dataset.line;
    const newest = this.newestWriter(this.line);
    if (this.layout.lineEnd(this.line) > this.layout.lines[this.line]) {
      this.blame(this.unitOf(newest));
      element.setAttribute("aria-description", `${this.describe(newest)}; ${this.number(this.replay.text.heats()[this.line] ?? 0)} edits of the paragraph`);
    }
  }
  /** The first unit of the focused line that an edit wrote. */
  unitOf(writer) {
    const end = this.layout.lineEnd(this.line);
    for (let index = this.layout.lines[this.line]; index < end; index++) {
      if (this.replay.text.writer(index) === writer) return index;
    }
    return null;
  }
  moveLine(count) {
    this.line = Math.max(0, Math.min(this.layout.lines.length - 1, this.line + count));
    this.showRow(this.layout.rowLines[this.line]);
    this.drawRows();
    this.lineElement()?.focus({ preventScroll: true });
  }

  // MARK: Panel

  selectTab(name) {
    for (const tab of document.querySelectorAll("[role=tab]")) {
      const isSelected = tab.id === `tab-${name}`;
      tab.setAttribute("aria-selected", isSelected);
      tab.tabIndex = isSelected ? 0 : -1;
      find(tab.getAttribute("aria-controls")).hidden = !isSelected;
    }
    this.steps.draw();
    this.hits.draw();
    if (name === "steps") this.steps.show(Math.max(0, this.edits.stepAt(this.version) - 1));
    if (name === "authors") this.fillAuthors();
  }
  tabKey(event) {
    const tabs = [...document.querySelectorAll("[role=tab]")], at = tabs.indexOf(event.target);
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!move) return;
    const tab = tabs[(at + move + tabs.length) % tabs.length];
    this.selectTab(tab.id.slice(4));
    tab.focus();
    event.preventDefault();
    event.stopPropagation();
  }

  stepItem(index) {
    const { edits } = this, step = edits.steps[index], by = this.authors.of(step.last);
    const isCurrent = step.number === edits.stepAt(this.version);
    const sign = isCurrent ? "\u25cf" : step.last > this.version ? "\u25cc" : "\u25cb";
    const graph = make("span", { className: "graph" }, "\u2502 ".repeat(Math.min(step.depth, 8)), this.authors.paint(make("b", { textContent: sign }), by));
    graph.lastChild.classList.remove("agent");
    const amount = make("span", { className: "amount" });
    if (step.inserted) amount.append(make("span", { className: "plus", textContent: `+${this.number(step.inserted)} ` }));
    if (step.deleted) amount.append(make("span", { className: "minus", textContent: `\u2212${this.number(step.deleted)}` }));
    const text = step.first > edits.first ? this.wordsOf(step) : "";
    const item = make("div", { role: "treeitem", className: step.isUndone ? "undone" : "" }, graph,
      make("span", { textContent: this.number(step.number) }), amount,
      make("span", { className: "more", textContent: `${this.clockOf(edits.timeOf(step.first))} ${text}` }));
    item.setAttribute("aria-level", step.depth + 1);
    item.setAttribute("aria-selected", isCurrent);
    item.setAttribute("aria-label", `step ${step.number}${step.isUndone ? ", undone" : ""}, ${this.describe(step.last)}, ${step.inserted} in, ${step.deleted} out`);
    item.title = `${this.describe(step.last)}${step.parent ? `; after step ${step.parent}` : ""}`;
    return item;
  }
  /** What the edits of a step typed in. */
  wordsOf(step) {
    const { edits } = this, first = edits.index(step.first), last = Math.min(edits.count - 1, edits.index(step.last));
    const units = edits.text.subarray(edits.offset[first], edits.offset[last] + edits.added[last]);
    return units.length ? `\u201c${shownLine(units, 40)}\u201d` : "";
  }

  fillAuthors() {
    const now = new Map();
    const { text } = this.replay;
    for (let index = 0; index < text.length; index++) {
      const by = this.authors.of(text.writer(index));
      now.set(by, (now.get(by) ?? 0) + 1);
    }
    const rows = this.authors.names.map((author, by) => make("tr", {},
      make("td", {}, this.authors.swatch(by), author.name, author.isAgent ? make("b", { textContent: " AI" }) : ""),
      ...[author.edits, author.inserted, author.removed, now.get(by) ?? 0].map((value) => make("td", { textContent: this.number(value) }))));
    find("authors").tBodies[0].replaceChildren(...rows);
  }

  fillCosts() {
    const { costs } = this.edits;
    find("no-costs").hidden = costs.length > 0;
    find("costs").hidden = !costs.length;
    const shown = [...costs].sort((left, right) => right.total - left.total).slice(0, 1000);
    find("costs").tBodies[0].replaceChildren(...shown.map((cost) => {
      const button = make("button", { type: "button", textContent: this.number(cost.sequence) });
      button.addEventListener("click", () => this.visit(cost.sequence));
      return make("tr", {}, make("td", {}, button), ...[this.number(cost.units), this.number(cost.paragraphs), this.duration(cost.total),
        this.duration(cost.live), this.duration(cost.linear)].map((value) => make("td", { textContent: value })));
    }));
  }

  // MARK: Search

  async search() {
    const query = find("query").value;
    if (this.running) this.running.isCancelled = true;
    this.hitList = [];
    this.hits.set(0);
    if (!query) { find("found").textContent = ""; return; }
    const search = this.running = new Search(this.edits, query);
    await search.run((done) => { find("found").textContent = `Searching: ${Math.round(100 * done)} %`; });
    if (search.isCancelled) return;
    this.running = null;
    this.hitList = search.hits.sort((left, right) => (left.to === null ? 0 : 1) - (right.to === null ? 0 : 1)
      || (left.to === null ? left.start - right.start : right.to - left.to));
    const now = this.hitList.filter((hit) => hit.to === null).length;
    find("found").textContent = `${search.isFull ? `The first ${Search.hitsMax}: ` : ""}${this.number(now)} now, ${this.number(this.hitList.length - now)} deleted`;
    this.hit = -1;
    this.query = query;
    this.hits.focus = 0;
    this.hits.set(this.hitList.length);
    this.hits.box.scrollTop = this.hits.top = 0;
    this.hits.draw();
  }
  hitItem(index) {
    const hit = this.hitList[index], { before, found, after } = hit.excerpt;
    const tag = make("span", { className: `tag ${hit.to === null ? "now" : "deleted"}`, textContent: hit.to === null ? "now" : "deleted" });
    const item = make("div", { role: "listitem" },
      make("p", { className: "words" }, shownLine(before), make("mark", { textContent: shownLine(found) }), shownLine(after)),
      make("p", { className: "more" }, tag, ` ${this.describe(hit.from)}${hit.to === null ? "" : `; removed ${this.number(hit.to)}`}`));
    if (index === this.hit) item.setAttribute("aria-current", "true");
    return item;
  }
  goToHit(index) {
    const hit = this.hitList[index];
    if (!hit) return;
    this.hit = index;
    this.stop();
    this.visited.push(this.version);
    this.go(hit.to === null ? this.edits.last : hit.to - 1, true);
    this.found = { start: hit.start, end: hit.start + this.query.length };
    this.showRow(this.layout.rowAt(hit.start));
    this.drawRows();
    this.hits.show(index);
    this.settle();
  }

  // MARK: Controls

  setFollow(follows) { this.follows = follows; find("follow").setAttribute("aria-pressed", follows); }
  setColours(shows) {
    this.showsColours = shows;
    find("colours").setAttribute("aria-pressed", shows);
    this.drawRows();
  }
  setRemoved(shows) {
    this.showsRemoved = shows;
    this.drawRemoved();
  }
  nextTheme() {
    const root = document.documentElement, order = { undefined: "light", light: "dark", dark: "" };
    const theme = order[root.dataset.theme];
    if (theme) root.dataset.theme = theme; else delete root.dataset.theme;
    find("theme").textContent = `Theme: ${theme || "auto"}`;
    this.drawTheme();
  }
  setSpeed(speed) {
    this.speed = speed;
    find("speed").value = speed;
    find("live").textContent = `speed ${speed}`;
  }
  changeSpeed(move) {
    const { speeds } = Player, at = speeds.indexOf(this.speed) + move;
    this.setSpeed(speeds[Math.max(0, Math.min(speeds.length - 1, at))]);
  }
  nextIdle() {
    const select = find("idle");
    select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
    this.idle = +select.value;
    find("live").textContent = `pauses ${select.selectedOptions[0].textContent}`;
  }
  async copy() {
    const text = stringOf(this.replay.text.slice());
    try {
      await navigator.clipboard.writeText(text);
      find("live").textContent = find("copy").textContent = "Copied";
    } catch {
      find("copy").textContent = "Not allowed";
    }
    setTimeout(() => { find("copy").textContent = "Copy text"; }, 1500);
  }

  static keys = [
    ["Space", "play, pause"], ["+ \u2212 =", "double, halve, 1\u00d7"], [", .", "one edit"], ["h l \u2190 \u2192", "one undo step"],
    ["Shift \u2190 \u2192", "a tenth"], ["s S", "next, previous save"], ["] [", "next, previous mark"], ["} {", "next, previous session"],
    ["Home End", "first, last version"], ["0\u20269", "tenths"], ["j k", "line down, up"], ["g G", "start, end of the text"],
    ["/", "find in all versions"], ["n N", "next, previous match"], ["Enter", "edit that wrote the line"], ["Backspace", "back"],
    ["b", "blame colours"], ["d", "removed text in full"], ["f", "follow the edits"], ["u a c", "undo tree, authors, deletions"], ["i", "length of pauses"],
    ["t", "local time, UTC"], ["?", "these keys"],
  ];
  help() {
    const list = find("keys").querySelector("dl");
    if (!list.firstChild) for (const [keys, what] of Player.keys) {
      list.append(make("dt", {}, make("kbd", { textContent: keys })), make("dd", { textContent: what }));
    }
    find("keys").showModal();
  }

  sliderKey(event) {
    const actions = {
      PageUp: () => this.steps15(1), PageDown: () => this.steps15(-1),
      Home: () => this.jump(this.edits.first), End: () => this.jump(this.edits.last),
      ArrowRight: () => this.step(1), ArrowUp: () => this.step(1), ArrowLeft: () => this.step(-1), ArrowDown: () => this.step(-1),
    };
    if (!actions[event.key] || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    actions[event.key]();
    event.preventDefault();
    event.stopPropagation();
  }
  steps15(direction) {
    for (let left = 14; left > 0; left--) {
      const versions = this.edits.boundaries;
      const at = lastIndex(versions, (version) => version < this.version + (direction > 0 ? 1 : 0));
      this.version = (direction > 0 ? versions[at + 1] : versions[at]) ?? this.version;
    }
    this.step(direction);
  }

  key(event) {
    const target = event.target, { edits } = this;
    if (event.ctrlKey || event.altKey || event.metaKey || find("keys").open || !this.layout) return;
    if (target.matches?.("input:not([type=range]), select, textarea") || !this.usesKeys) return;
    if (!find("player").contains(target) && target !== document.body) return;
    if ((event.key === " " || event.key === "Enter") && target.matches?.("button, .item")) return;
    const tenth = (count) => this.jump(this.version + count * edits.count / 10);
    const marks = () => [...new Set(this.marks.map((mark) => mark.at))].sort((left, right) => left - right);
    const actions = {
      " ": () => this.toggle(), "+": () => this.changeSpeed(1), "-": () => this.changeSpeed(-1), "=": () => this.setSpeed(1),
      ",": () => this.jump(this.version - 1), ".": () => this.jump(this.version + 1),
      h: () => this.step(-1), l: () => this.step(1),
      ArrowLeft: () => event.shiftKey ? tenth(-1) : this.step(-1), ArrowRight: () => event.shiftKey ? tenth(1) : this.step(1),
      s: () => this.toNext(edits.saves, 1), S: () => this.toNext(edits.saves, -1),
      "]": () => this.toNext(marks(), 1), "[": () => this.toNext(marks(), -1),
      "}": () => this.toNext(this.breaks, 1), "{": () => this.toNext(this.breaks, -1),
      Home: () => this.jump(edits.first), End: () => this.jump(edits.last),
      j: () => this.moveLine(1), k: () => this.moveLine(-1),
      ArrowDown: () => this.moveLine(1), ArrowUp: () => this.moveLine(-1),
      PageDown: () => this.moveLine(20), PageUp: () => this.moveLine(-20),
      g: () => this.moveLine(-Infinity), G: () => this.moveLine(Infinity),
      "/": () => { this.selectTab("find"); find("query").focus(); find("query").select(); },
      n: () => this.goToHit(Math.min((this.hitList?.length ?? 0) - 1, (this.hit ?? -1) + 1)),
      N: () => this.goToHit(Math.max(0, (this.hit ?? 0) - 1)),
      Enter: () => this.visit(this.newestWriter(this.line) || this.version),
      Backspace: () => { const back = this.visited.pop(); if (back !== undefined) this.jump(back); },
      b: () => this.setColours(!this.showsColours), d: () => this.setRemoved(!this.showsRemoved), f: () => this.setFollow(!this.follows),
      u: () => this.selectTab("steps"), a: () => this.selectTab("authors"), c: () => this.selectTab("costs"),
      i: () => this.nextIdle(), t: () => { this.isLocal = !this.isLocal; this.draw(true); }, "?": () => this.help(),
    };
    const action = /^\d$/.test(event.key) ? () => this.jump(edits.first + event.key * edits.count / 10) : actions[event.key];
    if (!action || event.shiftKey && event.key.length > 1 && !event.key.startsWith("Arrow")) return;
    action();
    event.preventDefault();
  }

  // MARK: For scripts

  /** The writers of the text, as `editlog blame --json` lists them. */
  pieces() {
    const { text } = this.replay, pieces = [];
    for (let index = 0; index < text.length; index++) {
      const writer = text.writer(index), last = pieces[pieces.length - 1];
      if (last?.sequence === writer) last.length++; else pieces.push({ location: index, length: 1, sequence: writer });
    }
    return pieces;
  }
}

async function unpack(base64) {
  const bytes = new Uint8Array(Math.floor(base64.length * 3 / 4));
  let count = 0;
  for (let start = 0; start < base64.length; start += 1 << 20) {
    const piece = atob(base64.slice(start, start + (1 << 20)));
    for (let index = 0; index < piece.length; index++) bytes[count++] = piece.charCodeAt(index);
    await pause();
  }
  const stream = new Blob([bytes.subarray(0, count)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** What scripts in the page may use: `await editlog.ready`, then `seek`, `text`, `blame` and more. */
const editlog = globalThis.editlog = {};
editlog.ready = (async () => {
  try {
    const element = find("data"), edits = await Edits.read(new Reader(await unpack(element.textContent)));
    element.remove();
    const player = new Player(edits);
    await player.start();
    Object.assign(editlog, {
      player, edits, first: edits.first, last: edits.last,
      seek: (sequence) => player.jump(sequence),
      version: () => player.version,
      text: () => stringOf(player.replay.text.slice()),
      blame: () => player.pieces(),
      steps: () => edits.steps,
      find: async (query) => (await new Search(edits, query).run(() => {})).hits,
    });
    return true;
  } catch (error) {
    find("point").textContent = `The history cannot be shown: ${error.message}`;
    throw error;
  }
})();
