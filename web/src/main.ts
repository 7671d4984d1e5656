/* SPDX-License-Identifier: Apache-2.0
 * The page: what the reader sees and does. */
import { inflate, lonLat, mapPoint, readFacts, readField, type Facts, type Numbers, type Reals } from "./data";
import { Engine, type PathPoint } from "./engine";
import { colorTable, fuelGroup, FUELS, groundImage, hillshade, MAP_NAMES, niceStep, range, shown } from "./colors";
import { Picture, type View } from "./draw";
import { drawMarks } from "./marks";
import { openModel, type FireModel, type GridModel, type Model } from "./model";
import { run, serve, type Run } from "./ensemble";
import { download, fileStem, geojson, geotiff, kml, npy, outlines } from "./save";

const $ = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const input = (id: string): HTMLInputElement => $(id);
const select = (id: string): HTMLSelectElement => $(id);
const on = (id: string, what: string, act: () => void): void => $(id).addEventListener(what, act);
const PLAY_SECONDS = 8, PICK_PIXELS = 12;

class Page {
  private readonly rows: number;
  private readonly cols: number;
  private readonly picture: Picture;
  private readonly fields = new Map<number, Numbers>();
  private view: View = { across: 1, down: 1, row: 0, col: 0 };
  private cursor: [number, number] | null = null;
  private pin: [number, number] | null = null;
  private pathTo: PathPoint[] = [];
  private map: Numbers | null = null; // shown instead of the times
  private chances: Float32Array<ArrayBuffer> | null = null;
  private running: Run | null = null;
  private end = 1; // latest time
  private begin = 0;
  private spent = 0; // ms of the last solve
  private asked = false;
  private playing = 0;
  private shade: Float32Array | null = null;

  constructor(private readonly facts: Facts, private readonly engine: Engine, private readonly module: WebAssembly.Module,
    private readonly model: Model) {
    [this.rows, this.cols] = facts.shape;
    this.picture = new Picture($<HTMLCanvasElement>("picture"), this.rows, this.cols);
  }
  private get fires(): FireModel | null { return this.facts.kind === "fire" ? (this.model as FireModel) : null; }
  private async field(k: number): Promise<Numbers> {
    if (!this.fields.has(k)) this.fields.set(k, await readField(this.facts, k));
    return this.fields.get(k)!;
  }

  /* ---- begin ---- */

  async start(): Promise<void> {
    const { facts, model } = this, solves = model.canSolve;
    if (facts.title) $("title").textContent = facts.title;
    $("summary").textContent = `${this.rows} x ${this.cols} cells` + (facts.place ? `, ${facts.place.crs}` : "");
    $("program").textContent = facts.program;
    document.querySelectorAll<HTMLElement>(".solves").forEach((e) => (e.hidden = !solves));
    document.querySelectorAll<HTMLElement>(".metric").forEach((e) => (e.hidden = !solves || facts.kind !== "grid"));
    document.querySelectorAll<HTMLElement>(".fires").forEach((e) => (e.hidden = facts.kind !== "fire"));
    $("way-label").hidden = !solves;
    $("every-label").hidden = this.picture.thinning === 1;
    this.fill("colors", [...MAP_NAMES, "chance", "signed"].map((name) => [name, name]), facts.colormap ?? (this.fires ? "fire" : "viridis"));
    this.fill("fire", facts.fire?.fires.map((f, k) => [String(k), f.name]) ?? [], "0");
    $("fire-label").hidden = (facts.fire?.fires.length ?? 0) < 2;
    this.layers();
    this.tables();
    const height = facts.fields.findIndex((f) => f.role === "elevation");
    if (height >= 0)
      this.shade = hillshade(await this.field(height), this.rows, this.cols, facts.spacing[0], facts.spacing[1]);
    this.controls();
    this.pointer();
    this.keys();
    await this.chooseGround();
    await this.chooseFire();
    this.fit();
  }
  private fill(id: string, options: [string, string][], value: string): void {
    select(id).replaceChildren(...options.map(([v, text]) => new Option(text, v)));
    select(id).value = value;
  }
  private layers(): void {
    const maps = this.facts.fields.map((f, k) => [f, k] as const), solves = this.model.canSolve;
    this.fill("shown", [["solved", "Arrival times"], ...maps.filter(([f, k]) => ["map", "signed", "probability"].includes(f.role)
      || (["times", "observed"].includes(f.role) && (k > 0 || !solves))).map(([f, k]): [string, string] => [String(k), f.label]),
      ...(solves ? [["sensitivity", "Sensitivity at the pin"] as [string, string]] : []),
      ...(this.chances ? [["chances", "Probability of burning"] as [string, string]] : []), ["none", "Nothing"]],
    select("shown").value || (maps.some(([f]) => f.role === "times") || solves ? "solved" : "0"));
    if (select("ground").length === 0)
      this.fill("ground", [["plain", "Plain"], ...maps.filter(([f]) => !["times", "observed", "obstacles"].includes(f.role))
        .map(([f, k]): [string, string] => [String(k), f.label])],
      String(Math.max(this.facts.fields.findIndex((f) => f.role === "fuel"), -1)).replace("-1", "plain"));
    $("seen-label").hidden = !maps.some(([f]) => f.role === "observed");
  }
  private tables(): void {
    for (const table of this.facts.tables ?? []) {
      const details = document.createElement("details"), summary = document.createElement("summary"), body = document.createElement("table");
      summary.textContent = table.title;
      [table.columns, ...table.rows].forEach((row, k) => row.forEach((cell, c) => {
        const tr = c === 0 ? body.insertRow() : body.rows[k]!, td = document.createElement(k === 0 ? "th" : "td");
        td.textContent = typeof cell === "number" ? shown(cell) : cell;
        tr.append(td);
      }));
      details.append(summary, body);
      $("tables").append(details);
    }
  }
  tell(problem: string): void {
    $("problem").hidden = !problem;
    $("problem").textContent = problem;
  }

  /* ---- solve and show ---- */

  private solve(): void {
    const before = performance.now();
    try {
      if (this.model.canSolve && this.model.sources.length) this.model.solve();
      else if (this.model.canSolve) this.model.times = new Float32Array(this.rows * this.cols).fill(Infinity);
      this.tell("");
    } catch (error) {
      this.tell(error instanceof Error ? error.message : String(error));
      return;
    }
    this.spent = performance.now() - before;
    this.newTimes();
  }
  private newTimes(): void {
    this.picture.setTimes(this.model.times);
    const full = Number(input("time").value) >= Number(input("time").max);
    [this.begin, this.end] = range(this.model.times);
    input("time").min = String(this.begin);
    input("time").max = String(this.end);
    if (full) input("time").value = String(this.end);
    if (select("shown").value === "sensitivity") void this.choose();
    this.ask();
  }
  /** Solves, then draws, once for all that changed until the next picture. */
  private change(): void {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => { this.asked = false; this.solve(); this.draw(); });
  }
  private ask(): void { if (!this.asked) requestAnimationFrame(() => this.draw()); }

  private async choose(): Promise<void> {
    const what = select("shown").value, cell = this.pin ?? this.cursor;
    const field = this.facts.fields[Number(what)];
    this.map = null;
    try {
      if (what === "sensitivity" && cell) this.map = this.model.sensitivity(Math.round(cell[0]) * this.cols + Math.round(cell[1]));
      else if (what === "chances") this.map = this.chances;
      else if (what === "none") this.map = new Float32Array(this.rows * this.cols).fill(Infinity);
      else if (field) this.map = await this.field(Number(what));
      this.tell("");
    } catch (error) { this.tell(error instanceof Error ? error.message : String(error)); }
    if (this.map) this.picture.setShown(this.map);
    this.draw();
  }
  private async chooseGround(): Promise<void> {
    const field = this.facts.fields[Number(select("ground").value)];
    const all = field ? await this.field(Number(select("ground").value)) : null, n = this.rows * this.cols;
    const dark = document.documentElement.dataset["theme"] === "dark";
    const values = all && field!.planes > 1 ? (all.subarray(0, n) as Numbers) : all;
    this.picture.setGround(groundImage(values, field?.role === "fuel", this.shade, n, dark));
    this.ask();
  }
  private async chooseFire(): Promise<void> {
    const fires = this.fires;
    if (fires) fires.choose(Number(select("fire").value));
    this.showWeather();
    const k = fires ? fires.fire.observed : this.facts.fields.findIndex((f) => f.role === "observed");
    this.picture.setSeen(k >= 0 ? await this.field(k) : null);
    this.solve();
    input("time").value = input("time").max;
    await this.choose();
  }
  private look(): { low: number; high: number; colors: string; name: string; unit: string } {
    const what = select("shown").value, field = this.facts.fields[Number(what)], plain = select("colors").value;
    const [low, high] = this.map ? range(this.map) : [this.begin, this.end], most = Math.max(Math.abs(low), Math.abs(high)) || 1;
    if (what === "sensitivity" || field?.role === "signed")
      return { low: -most, high: most, colors: "signed", name: field?.label ?? "Later at the pin where a cell is slower"
        + (this.fires ? " by 1 %" : ""), unit: field?.unit ?? (this.fires ? "min" : this.facts.units.time) };
    if (what === "chances" || field?.role === "probability")
      return { low: 0, high: 1, colors: "chance", name: field?.label ?? "Probability of burning", unit: "" };
    return { low, high, colors: plain, name: field?.label ?? "Arrival time", unit: field?.unit ?? this.facts.units.time };
  }
  draw(): void {
    const now = Number(input("time").value), look = this.look(), step = niceStep(this.end - this.begin, 20);
    const dark = document.documentElement.dataset["theme"] === "dark";
    this.picture.setColors(look.colors);
    this.picture.draw(this.view, { now, step, low: look.low, high: look.high, lines: input("lines").checked, seen: input("seen").checked,
      opacity: Number(input("opacity").value), cut: input("cut").checked, bare: look.colors === "chance", line: dark ? [1, 1, 1] : [0, 0, 0] },
    this.map !== null, this.end > this.begin);
    drawMarks($<HTMLCanvasElement>("marks"), this.view, { model: this.model, facts: this.facts, cursor: this.cursor, pin: this.pin,
      path: input("way").checked ? this.pathTo : [], dark, from: now });
    this.legend(look, step);
    const unit = this.facts.units.time;
    $("time-value").textContent = `${shown(now)} ${unit}`;
    this.readout();
  }
  private legend(look: ReturnType<Page["look"]>, step: number): void {
    $("legend-name").textContent = look.name + (look.unit ? `, ${look.unit}` : "");
    $("legend-low").textContent = shown(look.low);
    $("legend-high").textContent = shown(look.high);
    const pen = $<HTMLCanvasElement>("legend-colors").getContext("2d")!, image = pen.createImageData(256, 12), table = colorTable(look.colors);
    for (let y = 0; y < 12; y++) image.data.set(table, y * 1024);
    pen.putImageData(image, 0, 0);
    const item = (color: string, text: string, thin: boolean): HTMLLIElement => {
      const li = document.createElement("li"), swatch = document.createElement("i");
      swatch.style.background = color;
      swatch.className = thin ? "thin" : "";
      li.append(swatch, text);
      return li;
    };
    const ground = this.facts.fields[Number(select("ground").value)], names = new Map(FUELS.map(([, color, name]) => [name, color]));
    const there = ground?.role === "fuel" ? new Set(Array.from(new Set(this.fields.get(Number(select("ground").value)) ?? []), (v) => fuelGroup(v)[2])) : new Set();
    $("legend-list").replaceChildren(item("#d80d05", `front at ${shown(Number(input("time").value))} ${this.facts.units.time}`, true),
      ...($("seen-label").hidden ? [] : [item("#0d59f2", "true or observed then", true)]),
      item("#888", `isochrones every ${shown(step)} ${this.facts.units.time}`, true),
      ...[...names].filter(([name]) => there.has(name)).map(([name, color]) => item(`#${color}`, name, false)));
  }
  private readout(): void {
    if (!this.cursor) { $("readout").textContent = this.spent ? `solved in ${this.spent.toFixed(1)} ms` : ""; return; }
    const [row, col] = this.cursor.map(Math.round) as [number, number], { facts } = this, at = row * this.cols + col;
    const place = facts.place ? mapPoint(facts.place, row, col).map((x) => x.toFixed(Math.abs(x) < 400 ? 5 : 1)).join(", ") : "";
    const globe = lonLat(facts, row, col), look = this.look();
    const parts = [`row ${row}, col ${col}`, place, globe ? `${globe[1].toFixed(5)}°, ${globe[0].toFixed(5)}°` : "",
      `arrival ${shown(this.model.times[at]!)} ${facts.units.time}`, this.map ? `${look.name} ${shown(this.map[at]!)} ${look.unit}` : ""];
    const ground = Number(select("ground").value), values = this.fields.get(ground);
    if (values) parts.push(`${facts.fields[ground]!.label} ${shown(values[at]!)}${facts.fields[ground]!.role === "fuel" ? ` (${fuelGroup(values[at]!)[2]})` : ""}`);
    $("readout").textContent = parts.filter(Boolean).join("  ·  ");
  }

  /* ---- the view ---- */

  fit(): void {
    const box = $("map").getBoundingClientRect(), ratio = window.devicePixelRatio || 1, aspect = this.facts.spacing[0] / this.facts.spacing[1];
    for (const id of ["picture", "marks"]) {
      $<HTMLCanvasElement>(id).width = Math.max(1, Math.round(box.width * ratio));
      $<HTMLCanvasElement>(id).height = Math.max(1, Math.round(box.height * ratio));
    }
    const across = 0.97 * Math.min((box.width * ratio) / this.cols, (box.height * ratio) / (this.rows * aspect)), down = across * aspect;
    this.view = { across, down, col: (this.cols - 1 - (box.width * ratio) / across) / 2, row: (this.rows - 1 - (box.height * ratio) / down) / 2 };
    this.draw();
  }
  private cellAt(x: number, y: number): [number, number] {
    const box = $("map").getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
    return [this.view.row + ((y - box.top) * ratio) / this.view.down, this.view.col + ((x - box.left) * ratio) / this.view.across];
  }
  private zoom(by: number, [row, col]: [number, number]): void {
    const v = this.view;
    if (v.across * by < 0.02 || v.across * by > 200) return;
    this.view = { across: v.across * by, down: v.down * by, row: row - (row - v.row) / by, col: col - (col - v.col) / by };
    this.ask();
  }
  private inside([row, col]: [number, number]): boolean {
    return row > -0.5 && col > -0.5 && row < this.rows - 0.5 && col < this.cols - 0.5;
  }
  private moveCursor(to: [number, number] | null): void {
    this.cursor = to && this.inside(to) ? to : null;
    const p = this.cursor;
    this.pathTo = p && this.model.canSolve && input("way").checked && this.model.times[Math.round(p[0]) * this.cols + Math.round(p[1])]! < Infinity
      ? this.model.path(Math.min(Math.max(p[0], 0), this.rows - 1), Math.min(Math.max(p[1], 0), this.cols - 1)) : [];
    this.ask();
  }

  /* ---- what the reader does ---- */

  private ignite([row, col]: [number, number]): void {
    const source = { row: Math.round(row), col: Math.round(col), time: Number(input("from").value) || 0 };
    if (!this.inside([row, col]) || this.model.sources.some((s) => s.row === source.row && s.col === source.col)) return;
    this.model.sources.push(source);
    this.change();
  }
  /** Cells under the brush along a stroke. */
  private stroke(a: [number, number], b: [number, number]): number[] {
    const radius = Number(input("brush").value) / 2, cells = new Set<number>(), steps = Math.ceil(2 * Math.hypot(b[0] - a[0], b[1] - a[1])) + 1;
    for (let s = 0; s <= steps; s++) {
      const row = a[0] + ((b[0] - a[0]) * s) / steps, col = a[1] + ((b[1] - a[1]) * s) / steps;
      for (let r = Math.ceil(row - radius); r <= row + radius; r++)
        for (let c = Math.ceil(col - radius); c <= col + radius; c++)
          if (r >= 0 && c >= 0 && r < this.rows && c < this.cols && (r - row) ** 2 + (c - col) ** 2 <= radius * radius) cells.add(r * this.cols + c);
    }
    return [...cells];
  }
  private apply(tool: string, a: [number, number], b: [number, number]): void {
    if (tool === "ignite")
      for (let k = 0, n = Math.ceil(Math.max(Math.abs(b[0] - a[0]), Math.abs(b[1] - a[1]), 1)); k <= n; k++)
        this.ignite([a[0] + ((b[0] - a[0]) * k) / n, a[1] + ((b[1] - a[1]) * k) / n]);
    else if (tool === "blow") {
      if (a[0] !== b[0] || a[1] !== b[1]) this.model.blow(this.stroke(a, b), [b[1] - a[1], b[0] - a[0]], Number(input("strength").value));
    } else this.model.block(this.stroke(a, b), tool === "block" ? Number(input("from").value) || 0 : Infinity);
    this.change();
  }
  private pointer(): void {
    const map = $("map"), fingers = new Map<number, [number, number]>();
    let last: [number, number] | null = null, dragged = -1, moved = 0;
    map.addEventListener("pointerdown", (e) => {
      map.setPointerCapture(e.pointerId);
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
      last = this.cellAt(e.clientX, e.clientY);
      moved = 0;
      const ratio = window.devicePixelRatio || 1, tool = this.tool();
      dragged = tool !== "move" || !this.model.canSolve ? -1 : this.model.sources.findIndex((s) =>
        Math.hypot((s.row - last![0]) * this.view.down, (s.col - last![1]) * this.view.across) < PICK_PIXELS * ratio);
      if (tool !== "move" && this.inside(last)) this.apply(tool, last, last);
    });
    map.addEventListener("pointermove", (e) => {
      const at = this.cellAt(e.clientX, e.clientY), old = fingers.get(e.pointerId);
      if (!old || !last) { this.moveCursor(at); return; }
      moved += Math.hypot(e.clientX - old[0], e.clientY - old[1]);
      const [other] = [...fingers].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
      if (other) { // two fingers: zoom
        const span = (p: [number, number]): number => Math.hypot(p[0] - other[0], p[1] - other[1]);
        this.zoom(span([e.clientX, e.clientY]) / Math.max(span(old), 1), this.cellAt((e.clientX + other[0]) / 2, (e.clientY + other[1]) / 2));
      } else if (dragged >= 0) {
        const source = this.model.sources[dragged]!;
        source.row = Math.round(Math.min(Math.max(at[0], 0), this.rows - 1));
        source.col = Math.round(Math.min(Math.max(at[1], 0), this.cols - 1));
        this.change();
      } else if (this.tool() === "move") {
        this.view.row -= at[0] - last[0];
        this.view.col -= at[1] - last[1];
        this.ask();
        return;
      } else this.apply(this.tool(), last, at);
      last = at;
    });
    const up = (e: PointerEvent): void => {
      fingers.delete(e.pointerId);
      if (moved < 4 && dragged < 0 && this.tool() === "move" && last && this.inside(last)) this.setPin(last);
      last = null;
    };
    map.addEventListener("pointerup", up);
    map.addEventListener("pointercancel", up);
    map.addEventListener("pointerleave", () => this.moveCursor(null));
    map.addEventListener("wheel", (e) => { e.preventDefault(); this.zoom(Math.exp(-e.deltaY / 400), this.cellAt(e.clientX, e.clientY)); }, { passive: false });
    new ResizeObserver(() => this.fit()).observe(map);
  }
  private setPin(to: [number, number]): void {
    this.pin = to;
    if (select("shown").value === "sensitivity") void this.choose();
    else this.ask();
  }
  private tool(): string { return document.querySelector<HTMLInputElement>('input[name="tool"]:checked')!.value; }

  private keys(): void {
    const arrows: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    $("map").addEventListener("keydown", (e) => {
      const at = this.cursor ?? [(this.rows - 1) / 2, (this.cols - 1) / 2], arrow = arrows[e.key], centre = this.cursor ?? at;
      if (arrow && e.shiftKey) { this.view.row += (40 * arrow[0]) / this.view.down; this.view.col += (40 * arrow[1]) / this.view.across; this.ask(); }
      else if (arrow) this.moveCursor([Math.min(Math.max(Math.round(at[0]) + arrow[0], 0), this.rows - 1), Math.min(Math.max(Math.round(at[1]) + arrow[1], 0), this.cols - 1)]);
      else if (e.key === "+" || e.key === "=") this.zoom(1.25, centre);
      else if (e.key === "-") this.zoom(0.8, centre);
      else if (e.key === "0") this.fit();
      else if (e.key === "Enter" && this.model.canSolve) this.ignite(at);
      else if (e.key.toLowerCase() === "b" && this.model.canSolve) this.apply("block", at, at);
      else if (e.key.toLowerCase() === "s") this.setPin(at);
      else if (e.key === " ") this.play();
      else return;
      e.preventDefault();
    });
  }
  private play(): void {
    cancelAnimationFrame(this.playing);
    const stop = this.playing !== 0;
    this.playing = 0;
    $("play").textContent = stop ? "▶" : "❚❚";
    if (stop) return;
    const first = Number(input("time").value) < this.end ? Number(input("time").value) : this.begin;
    input("cut").checked = true;
    let zero = 0;
    const step = (ms: number): void => {
      zero ||= ms;
      const t = first + ((ms - zero) / 1000 / PLAY_SECONDS) * (this.end - this.begin);
      input("time").value = String(Math.min(t, this.end));
      this.draw();
      this.playing = t < this.end ? requestAnimationFrame(step) : 0;
      if (!this.playing) $("play").textContent = "▶";
    };
    this.playing = requestAnimationFrame(step);
  }
  private showWeather(): void {
    const w = this.model.weather;
    for (const [id, value, text] of [["speed", w.speed, `× ${shown(w.speed)}`], ["turn", w.turn, `${w.turn}°`],
      ["moisture", w.moisture, `${w.moisture >= 0 ? "+" : ""}${shown(w.moisture)} %`]] as const) {
      input(id).value = String(value);
      $(`${id}-value`).textContent = text;
    }
  }
  private controls(): void {
    for (const id of ["lines", "seen", "cut", "opacity", "colors", "way"]) on(id, "input", () => this.draw());
    on("time", "input", () => this.draw());
    on("shown", "change", () => void this.choose());
    on("ground", "change", () => void this.chooseGround());
    on("fire", "change", () => void this.chooseFire());
    on("play", "click", () => this.play());
    on("clear", "click", () => { this.model.sources = []; this.change(); });
    on("reset", "click", () => { this.model.reset(); this.showWeather(); this.change(); });
    on("every", "change", () => { this.picture.everyCell = input("every").checked; void this.chooseGround(); this.newTimes(); void this.choose(); });
    for (const id of ["speed", "turn", "moisture"] as const) on(id, "input", () => {
      this.model.weather[id] = Number(input(id).value);
      this.showWeather();
      this.change();
    });
    on("theme", "click", () => {
      const root = document.documentElement.dataset;
      root["theme"] = root["theme"] === "dark" ? "light" : "dark";
      void this.chooseGround();
    });
    on("chances", "click", () => void this.ensemble());
    document.querySelectorAll<HTMLButtonElement>("#save button").forEach((b) => b.addEventListener("click", () => this.save(b.value)));
    if (!this.facts.place?.lonlat) document.querySelector<HTMLButtonElement>('#save [value="kml"]')!.hidden = true;
    if (!this.facts.command || !this.model.canSolve) document.querySelector<HTMLButtonElement>('#save [value="command"]')!.hidden = true;
  }
  private async ensemble(): Promise<void> {
    const fires = this.fires, bar = $<HTMLProgressElement>("progress");
    if (this.running) { this.running.stop(); this.running = null; bar.hidden = true; $("chances").textContent = "Chances in uncertain weather"; return; }
    if (!fires || !fires.sources.length) return;
    bar.hidden = false;
    $("chances").textContent = "Stop";
    try {
      this.running = run({ module: this.module, shape: this.facts.shape, facts: this.facts.fire!, layers: fires.layers, burning: fires.burning(),
        barrier: fires.walls, spread: this.facts.fire!.ensemble ?? {} }, SCRIPT, (share) => (bar.value = share));
      this.chances = await this.running.done;
      this.layers();
      select("shown").value = "chances";
      await this.choose();
    } catch (error) { this.tell(String(error)); }
    this.running = null;
    bar.hidden = true;
    $("chances").textContent = "Chances in uncertain weather";
  }
  private save(what: string): void {
    const T = this.model.times as Reals, stem = fileStem(this.facts.title), step = niceStep(this.end - this.begin, 20);
    const levels = Array.from({ length: 40 }, (_, k) => (Math.floor(this.begin / step) + 1 + k) * step).filter((t) => t < this.end).concat(this.end);
    const rings = (): ReturnType<typeof outlines> => outlines(this.engine, this.facts, T, levels);
    if (what === "npy") download(`${stem}.npy`, [npy(T, [this.rows, this.cols])], "application/octet-stream");
    else if (what === "tif") download(`${stem}.tif`, [geotiff(T, this.facts)], "image/tiff");
    else if (what === "geojson") download(`${stem}.geojson`, [geojson(rings(), this.facts)], "application/geo+json");
    else if (what === "kml") download(`${stem}.kml`, [kml(rings(), this.facts, this.fires?.fire.begin)], "application/vnd.google-earth.kml+xml");
    else if (what === "png") this.photograph(`${stem}.png`);
    else this.copyCommand();
  }
  private photograph(name: string): void {
    const canvas = document.createElement("canvas"), pen = canvas.getContext("2d")!, { width, height } = this.picture.canvas;
    canvas.width = width;
    canvas.height = height;
    pen.fillStyle = getComputedStyle(document.body).backgroundColor;
    pen.fillRect(0, 0, width, height);
    this.draw();
    for (const id of ["picture", "marks"]) pen.drawImage($<HTMLCanvasElement>(id), 0, 0);
    canvas.toBlob((blob) => { if (blob) download(name, [blob], "image/png"); });
  }
  private copyCommand(): void {
    const { text, files } = this.model.command();
    const shape = (name: string): void => {
      const plane = (this.model as GridModel).planes?.(name);
      if (plane) download(name, [npy(...plane)], "application/octet-stream");
    };
    files.forEach(shape);
    $("command").hidden = false;
    $<HTMLTextAreaElement>("command").value = text;
    $<HTMLTextAreaElement>("command").select();
    navigator.clipboard?.writeText(text).catch(() => document.execCommand("copy"));
  }
}

let SCRIPT = "";

async function main(): Promise<void> {
  SCRIPT = document.currentScript?.textContent ?? "";
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
  try {
    const facts = readFacts(), module = await WebAssembly.compile(await inflate("wasm")), engine = await Engine.make(module);
    const page = new Page(facts, engine, module, await openModel(facts, engine));
    await page.start();
    document.documentElement.dataset["ready"] = "1";
    Object.assign(window, { zermelo: page });
  } catch (error) {
    const problem = document.getElementById("problem")!;
    problem.hidden = false;
    problem.textContent = error instanceof Error ? error.message : String(error);
  }
}

if (typeof document === "undefined") serve();
else void main();
