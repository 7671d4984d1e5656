/* SPDX-License-Identifier: Apache-2.0
 * The page: what is solved and shown. */
import { lonLat, mapPoint, readField, fieldWithRole, type Facts, type Numbers } from "./data";
import type { Engine, PathPoint } from "./engine";
import { colorTable, fuelGroup, FUELS, groundImage, hillshade, MAP_NAMES, niceStep, range, shown } from "./colors";
import { Picture, type View } from "./draw";
import { drawMarks } from "./marks";
import type { FireModel, Model } from "./model";

export const $ = (id: string): HTMLElement => document.getElementById(id)!;
export const input = (id: string): HTMLInputElement => $(id) as HTMLInputElement;
export const select = (id: string): HTMLSelectElement => $(id) as HTMLSelectElement;
const canvas = (id: string): HTMLCanvasElement => $(id) as HTMLCanvasElement;
const hide = (of: string, hidden: boolean): void =>
  document.querySelectorAll<HTMLElement>(of).forEach((e) => (e.hidden = hidden));
const isDark = (): boolean => document.documentElement.dataset["theme"] === "dark";
const ISOCHRONES = 20, CHANCES = "Probability of burning";

export class Page {
  readonly rows: number;
  readonly cols: number;
  readonly picture: Picture;
  view: View = { across: 1, down: 1, row: 0, col: 0 };
  cursor: [number, number] | null = null;
  pin: [number, number] | null = null;
  chances: Numbers | null = null;
  running: { stop: () => void } | null = null; // an ensemble
  begin = 0; // earliest and latest time
  end = 1;
  spent = 0; // ms of the last solve
  private readonly fields = new Map<number, Numbers>();
  private map: Numbers | null = null; // shown instead of the times
  private path: PathPoint[] = [];
  private shade: Float32Array | null = null;
  private low = 0; // of what is shown in colours
  private high = 1;
  private seen: Numbers | null = null; // true or observed times
  private fitted = 1; // pixels of a cell when all is seen
  private frame = 0; // that will draw
  private stale = false; // and solve first

  constructor(readonly facts: Facts, readonly engine: Engine, readonly module: WebAssembly.Module, readonly model: Model) {
    [this.rows, this.cols] = facts.shape;
    this.picture = new Picture(canvas("picture"), this.rows, this.cols);
  }
  get fires(): FireModel | null { return this.facts.kind === "fire" ? (this.model as unknown as FireModel) : null; }
  /** The time shown; a slider at its end is at the latest, whatever it rounds. */
  get now(): number {
    const now = Number(input("time").value);
    return now > this.end - 1e-9 * (this.end - this.begin) ? this.end : now;
  }
  get step(): number { return niceStep(this.end - this.begin, ISOCHRONES); }
  private async field(k: number): Promise<Numbers> {
    const values = this.fields.get(k) ?? await readField(this.facts, k);
    this.fields.set(k, values);
    return values;
  }

  /* ---- begin ---- */

  async start(): Promise<void> {
    const { facts, model: { canSolve } } = this, height = fieldWithRole(facts, "elevation");
    if (facts.title) $("title").textContent = facts.title;
    $("summary").textContent = `${this.rows} x ${this.cols} cells${facts.place?.crs ? `, ${facts.place.crs}` : ""}`;
    $("program").textContent = facts.program;
    hide(".solves", !canSolve);
    hide(".metric", !canSolve || facts.kind !== "grid");
    hide(".fires", facts.kind !== "fire");
    hide("#every-label", this.picture.thinning === 1);
    hide("#seen-label, #legend-seen", fieldWithRole(facts, "observed") < 0);
    hide("#fire-label", (facts.fire?.fires.length ?? 0) < 2);
    hide('#save [value="kml"]', !facts.place?.lonlat);
    hide('#save [value="command"]', !canSolve);
    const colors = [...MAP_NAMES, "chance", "signed"].map((name): [string, string] => [name, name]);
    this.options("colors", colors, facts.colormap ?? (this.fires ? "fire" : "viridis"));
    this.options("fire", facts.fire?.fires.map((f, k) => [String(k), f.name]) ?? [], "0");
    const fuel = fieldWithRole(facts, "fuel");
    this.options("ground", [["plain", "Plain"], ...this.fieldOptions((role) => !["times", "observed", "obstacles"].includes(role))],
      fuel < 0 ? "plain" : String(fuel));
    this.listMaps();
    this.tables();
    if (height >= 0) this.shade = hillshade(await this.field(height), this.rows, this.cols, ...facts.spacing);
    await this.chooseGround();
    await this.chooseFire();
    this.fit();
  }
  private options(id: string, list: [string, string][], value: string): void {
    select(id).replaceChildren(...list.map(([v, text]) => new Option(text, v)));
    select(id).value = value;
  }
  private fieldOptions(wanted: (role: string, k: number) => boolean): [string, string][] {
    return this.facts.fields.flatMap((f, k) => (wanted(f.role, k) ? [[String(k), f.label]] : []));
  }
  /** What can be shown in colours. */
  listMaps(value = select("shown").value): void {
    const { canSolve } = this.model, times = fieldWithRole(this.facts, "times");
    const list: [string, string][] = canSolve || times >= 0 ? [["solved", "Arrival times"]] : [];
    const roles = ["map", "signed", "probability", "times", "observed"];
    list.push(...this.fieldOptions((role, k) => roles.includes(role) && (canSolve || k !== times)));
    if (canSolve) list.push(["sensitivity", "Sensitivity at the pin"]);
    if (this.chances) list.push(["chances", CHANCES]);
    this.options("shown", [...list, ["none", "Nothing"]], value || list[0]![0]);
  }
  private tables(): void {
    for (const table of this.facts.tables ?? []) {
      const details = document.createElement("details"), summary = document.createElement("summary");
      const body = document.createElement("table");
      summary.textContent = table.title;
      for (const row of [table.columns, ...table.rows]) {
        const tr = body.insertRow();
        for (const cell of row) tr.insertCell().textContent = typeof cell === "number" ? shown(cell) : cell;
      }
      details.append(summary, body);
      $("tables").append(details);
    }
  }
  tell(problem: unknown): void {
    const text = problem instanceof Error ? problem.message : problem;
    $("problem").hidden = !text;
    $("problem").textContent = String(text);
  }

  /* ---- solve and show ---- */

  solve(): void {
    const before = performance.now();
    try {
      if (this.model.canSolve) this.model.solve();
      this.tell("");
    } catch (error) {
      this.tell(error);
      return;
    }
    this.spent = performance.now() - before;
    this.running?.stop(); // of another fire
    if (this.chances) {
      this.chances = null;
      this.listMaps(select("shown").value === "chances" ? "solved" : undefined);
      void this.choose();
    }
    this.newTimes();
  }
  newTimes(): void {
    const time = input("time"), full = this.now === this.end;
    [this.begin, this.end] = range(this.model.times);
    this.picture.setTimes(this.model.times, [this.begin, this.end]);
    this.picture.setSeen(this.seen, [this.begin, this.end]);
    time.min = String(this.begin);
    time.max = String(this.end);
    if (full) time.value = time.max;
    if (select("shown").value === "sensitivity") void this.choose();
  }
  /** Solves and draws, once for all that changes until the next picture. */
  change(): void {
    this.stale = true;
    this.ask();
  }
  ask(): void {
    this.frame ||= requestAnimationFrame(() => {
      const stale = this.stale;
      this.frame = 0;
      this.stale = false;
      if (stale) this.solve();
      this.draw();
    });
  }
  /** What is shown in colours: the times (no map), a field, or what was computed here. */
  async choose(): Promise<void> {
    const what = select("shown").value, cell = this.pin ?? this.cursor;
    let map: Numbers | null = null;
    try {
      if (what === "sensitivity" && cell) {
        const k = Math.round(cell[0]) * this.cols + Math.round(cell[1]);
        if (!(this.model.times[k]! < Infinity)) throw new Error("nothing arrives at the pin: there is nothing to derive");
        map = this.model.sensitivity(k);
      }
      else if (what === "chances") map = this.chances;
      else if (what === "none") map = new Float32Array(this.rows * this.cols).fill(Infinity);
      else if (!["solved", "sensitivity"].includes(what)) map = await this.field(Number(what));
      this.tell("");
    } catch (error) { this.tell(error); }
    if (what !== select("shown").value) return; // something else was chosen meanwhile
    this.map = map;
    if (map) {
      [this.low, this.high] = range(map);
      const look = this.look();
      this.picture.setShown(map, [look.low, look.high]);
    }
    this.draw();
  }
  async chooseGround(): Promise<void> {
    const k = Number(select("ground").value), field = this.facts.fields[k], n = this.rows * this.cols;
    const all = field ? await this.field(k) : null;
    this.picture.setGround(groundImage(all && all.subarray(0, n), field?.role === "fuel", this.shade, n, isDark()));
    const groups = new Set(field?.role === "fuel" ? Array.from(new Set(all), (v) => fuelGroup(v)[2]) : []);
    $("legend-fuels").replaceChildren(...[...new Map(FUELS.map(([, color, name]) => [name, color]))].filter(([name]) => groups.has(name))
      .map(([name, color]) => {
        const item = document.createElement("li"), swatch = document.createElement("i");
        swatch.style.background = `#${color}`;
        item.append(swatch, name);
        return item;
      }));
    this.ask();
  }
  async chooseFire(): Promise<void> {
    this.fires?.choose(Number(select("fire").value));
    this.showWeather();
    const seen = this.fires ? this.fires.fire.observed : fieldWithRole(this.facts, "observed");
    this.seen = seen >= 0 ? await this.field(seen) : null;
    this.solve();
    input("time").value = input("time").max;
    await this.choose();
  }
  showWeather(): void {
    const w = this.model.weather, sign = w.moisture < 0 ? "" : "+";
    const texts = { speed: `× ${shown(w.speed)}`, turn: `${w.turn}°`, moisture: `${sign}${shown(w.moisture)} %` };
    for (const id of ["speed", "turn", "moisture"] as const) {
      input(id).value = String(w[id]);
      $(`${id}-value`).textContent = texts[id];
    }
  }
  private look(): { low: number; high: number; colors: string; name: string; unit: string } {
    const what = select("shown").value, field = this.facts.fields[Number(what)], colors = select("colors").value;
    const [low, high] = this.map ? [this.low, this.high] : [this.begin, this.end], most = Math.max(Math.abs(low), Math.abs(high)) || 1;
    const label = { name: field?.label ?? "Arrival time", unit: field?.unit ?? this.facts.units.time };
    if (what === "chances") return { low: 0, high: 1, colors: "chance", name: CHANCES, unit: "" };
    if (field?.role === "probability") return { ...label, low: 0, high: 1, colors: "chance" };
    if (field?.role === "signed") return { ...label, low: -most, high: most, colors: "signed" };
    if (what !== "sensitivity") return { ...label, low, high, colors };
    return { low: -most, high: most, colors: "signed", name: `Later at the pin by slower cells${this.fires ? " (1 %)" : ""}`,
      unit: this.fires ? "min" : label.unit };
  }
  draw(): void {
    const { now } = this, look = this.look(), unit = this.facts.units.time, dark = isDark();
    this.picture.setColors(look.colors);
    const width = this.end > this.begin ? this.end - this.begin : 1;
    this.picture.draw(this.view, { now: (now - this.begin) / width, step: this.step / width, lines: input("lines").checked,
      seen: input("seen").checked, opacity: Number(input("opacity").value), cut: input("cut").checked,
      bare: look.colors === "chance", line: dark ? [1, 1, 1] : [0, 0, 0] }, this.map !== null, this.end > this.begin);
    drawMarks(canvas("marks"), this.view, { model: this.model, facts: this.facts, cursor: this.cursor, pin: this.pin,
      path: input("way").checked ? this.path : [], dark });
    $("legend-name").textContent = look.name + (look.unit && `, ${look.unit}`);
    $("legend-low").textContent = shown(look.low, "", look.high - look.low);
    $("legend-high").textContent = shown(look.high, "", look.high - look.low);
    $("legend-now").textContent = `front at ${shown(now, unit, width)}`;
    $("legend-step").textContent = `isochrones every ${shown(this.step, unit)}`;
    $("time-value").textContent = shown(now, unit, width);
    const pen = canvas("legend-colors").getContext("2d")!, image = pen.createImageData(256, 12), table = colorTable(look.colors);
    for (let y = 0; y < 12; y++) image.data.set(table, y * 1024);
    pen.putImageData(image, 0, 0);
    this.readOut(look);
  }
  private readOut(look: { name: string; unit: string }): void {
    const { facts } = this, parts = [this.spent ? `solved in ${this.spent.toFixed(1)} ms` : ""];
    if (this.cursor) {
      const [row, col] = this.cursor.map(Math.round) as [number, number], at = row * this.cols + col, globe = lonLat(facts, row, col);
      const k = Number(select("ground").value), ground = this.fields.get(k)?.[at];
      parts.splice(0, 1, `row ${row}, col ${col}`,
        facts.place ? mapPoint(facts.place, row, col).map((x) => x.toFixed(Math.abs(x) < 400 ? 5 : 1)).join(", ") : "",
        globe ? `${globe[1].toFixed(5)}°, ${(((globe[0] + 540) % 360) - 180).toFixed(5)}°` : "",
        `arrival ${shown(this.model.times[at]!, facts.units.time, this.end - this.begin)}`,
        this.map ? `${look.name} ${shown(this.map[at]!, look.unit, this.high - this.low)}` : "");
      if (ground !== undefined)
        parts.push(`${facts.fields[k]!.label} ${shown(ground)}${facts.fields[k]!.role === "fuel" ? ` (${fuelGroup(ground)[2]})` : ""}`);
    }
    $("readout").textContent = parts.filter(Boolean).join("  ·  ");
  }

  /* ---- the view ---- */

  fit(): void {
    const box = $("map").getBoundingClientRect(), ratio = window.devicePixelRatio, aspect = this.facts.spacing[0] / this.facts.spacing[1];
    const width = Math.max(1, Math.round(box.width * ratio)), height = Math.max(1, Math.round(box.height * ratio));
    for (const id of ["picture", "marks"]) Object.assign(canvas(id), { width, height });
    const across = 0.97 * Math.min(width / this.cols, height / (this.rows * aspect)), down = across * aspect;
    this.fitted = across;
    this.view = { across, down, col: (this.cols - 1 - width / across) / 2, row: (this.rows - 1 - height / down) / 2 };
    this.draw();
  }
  cellAt(x: number, y: number): [number, number] {
    const box = $("map").getBoundingClientRect(), ratio = window.devicePixelRatio;
    return [this.view.row + ((y - box.top) * ratio) / this.view.down, this.view.col + ((x - box.left) * ratio) / this.view.across];
  }
  zoom(by: number, [row, col]: [number, number]): void {
    const v = this.view;
    if (v.across * by < this.fitted / 2 || v.across * by > Math.max(200, 50 * this.fitted)) return;
    this.view = { across: v.across * by, down: v.down * by, row: row - (row - v.row) / by, col: col - (col - v.col) / by };
    this.ask();
  }
  pan(rows: number, cols: number): void {
    this.view.row += rows;
    this.view.col += cols;
    this.ask();
  }
  inside([row, col]: [number, number]): boolean {
    return row > -0.5 && col > -0.5 && row < this.rows - 0.5 && col < this.cols - 0.5;
  }
  /** The nearest cell of the grid. */
  cell([row, col]: [number, number]): [number, number] {
    return [Math.round(Math.min(Math.max(row, 0), this.rows - 1)), Math.round(Math.min(Math.max(col, 0), this.cols - 1))];
  }
  moveCursor(to: [number, number] | null): void {
    this.cursor = to && this.inside(to) ? to : null;
    this.path = [];
    if (this.cursor && this.model.canSolve && input("way").checked) {
      const [row, col] = this.cell(this.cursor);
      if (this.model.times[row * this.cols + col]! < Infinity) this.path = this.model.path(row, col);
    }
    this.ask();
  }
  setPin(to: [number, number]): void {
    this.pin = to;
    if (select("shown").value === "sensitivity") void this.choose();
    else this.ask();
  }
}
