/* SPDX-License-Identifier: Apache-2.0
 * What is burned or crossed: a metric or a landscape, with what the reader changed. */
import { lonLat, readField, fieldWithRole, type Facts, type Fire, type Numbers, type Reals } from "./data";
import { barriers, npy } from "./save";
import { Engine, Ground, Land, type Burning, type PathPoint, type Source } from "./engine";

export interface Weather { speed: number; turn: number; moisture: number } // of a fire: factor, degrees, percent
export interface Command { text: string; files: [string, string | Uint8Array<ArrayBuffer>][] } // to be downloaded

/** A command without an option; values may be quoted as for a shell. */
const WORD = String.raw`((?:'[^']*'|\\.|[^\s'\\])+)`;
const without = (command: string, option: string): string => command.replace(new RegExp(` --${option} ${WORD}`, "g"), "");

const MOST_DRIFT = 0.95; // of what a metric bears

export abstract class Model {
  times: Reals;
  sources: Source[] = [];
  walls: Float64Array<ArrayBuffer> | null = null; // hours from which a cell is a barrier; Infinity: never
  weather: Weather = { speed: 1, turn: 0, moisture: 0 };
  readonly rows: number;
  readonly cols: number;
  constructor(readonly facts: Facts, times: Reals) {
    this.times = times;
    [this.rows, this.cols] = facts.shape;
  }
  abstract readonly canSolve: boolean;
  protected abstract run(): Reals;
  solve(): void {
    this.times = this.sources.length ? this.run() : new Float32Array(this.rows * this.cols).fill(Infinity);
  }
  abstract path(row: number, col: number): PathPoint[];
  abstract sensitivity(cell: number): Float64Array<ArrayBuffer> | Reals;
  abstract command(): Command;
  /** Cells become barriers from a time on, or are free again (Infinity). */
  block(cells: number[], from: number): void {
    this.walls ??= new Float64Array(this.rows * this.cols).fill(Infinity);
    for (const cell of cells) this.walls[cell] = from;
  }
  /** A wind towards (x, y), of a metric alone. */
  abstract blow(cells: number[], towards: [number, number], strength: number): void;
  abstract reset(): void;
  /** Why nothing would start in a cell, or "". */
  abstract refuses(cell: number, time: number): string;
  protected given(list: number[][]): Source[] {
    return list.map(([row, col, time]) => ({ row: row!, col: col!, time: time ?? 0 }));
  }
}

/** Maps alone, or a metric. */
class GridModel extends Model {
  private readonly ground: Ground | null = null;
  private readonly metric: Reals[] = [];
  private readonly drift: Reals[] = []; // painted ones included
  private drifting = false;
  private blocked = false;
  private blown = false;

  constructor(facts: Facts, times: Reals, engine: Engine, metric: Numbers | null, private readonly drift0: Numbers | null,
    private readonly walls0: Numbers | null) {
    super(facts, times);
    const solve = facts.solve, n = this.rows * this.cols;
    if (!solve || !metric) return;
    const real = solve.precision, make = (): Reals => (real === "f4" ? new Float32Array(n) : new Float64Array(n));
    const factor = { none: 0, all: Infinity, auto: -1 }[solve.factored] ?? Number(solve.factored);
    this.ground = new Ground(engine, facts.shape, facts.spacing, real, solve.order, solve.stencil === "adaptive", factor,
      (solve.periodic?.includes("x") ? 1 : 0) + (solve.periodic?.includes("y") ? 2 : 0));
    const planes = metric.length / n;
    for (let k = 0; k < planes; k++) {
      const plane = make();
      plane.set(metric.subarray(k * n, (k + 1) * n));
      this.metric.push(plane);
      this.ground.setPlane(planes === 1 ? 0 : k, plane);
    }
    this.drift.push(make(), make());
    this.reset();
  }
  get canSolve(): boolean { return this.ground !== null; }
  reset(): void {
    const n = this.rows * this.cols;
    this.sources = this.given(this.facts.solve?.sources ?? []);
    this.walls = this.walls0 ? Float64Array.from(this.walls0, (w) => (w ? 0 : Infinity)) : null;
    this.drift.forEach((plane, k) => { if (this.drift0) plane.set(this.drift0.subarray(k * n, (k + 1) * n)); else plane.fill(0); });
    this.drifting = this.drift0 !== null;
    this.blocked = this.blown = false;
    this.setDrift();
    this.setWalls();
  }
  private setDrift(): void {
    this.drift.forEach((plane, k) => this.ground!.setPlane(3 + k, this.drifting ? plane : null));
  }
  private setWalls(): void {
    this.ground!.setWalls(this.walls && Uint8Array.from(this.walls, (from) => (from < Infinity ? 1 : 0)));
  }
  protected run(): Reals { return this.ground!.solve(this.sources, this.facts.solve!.t_max ?? Infinity); }
  path(row: number, col: number): PathPoint[] { return this.ground ? this.ground.path(row, col) : []; }
  override block(cells: number[], from: number): void {
    super.block(cells, from < Infinity ? 0 : from); // a metric does not know of time
    this.blocked = true;
    this.setWalls();
  }
  refuses(): string { return ""; }
  /** A drift of `strength` times what the metric bears: b = s G d / sqrt(d'Gd) has |b|_G^-1 = s. */
  blow(cells: number[], [across, down]: [number, number], strength: number): void {
    const s = Math.min(strength, MOST_DRIFT), x = across * this.facts.spacing[1], y = down * this.facts.spacing[0];
    for (const i of cells) {
      const a = this.metric[0]![i]!, b = this.metric[1]?.[i] ?? 0, c = this.metric[2]?.[i] ?? a;
      const length = Math.sqrt(a * x * x + 2 * b * x * y + c * y * y) || 1;
      this.drift[0]![i] = (s * (a * x + b * y)) / length;
      this.drift[1]![i] = (s * (b * x + c * y)) / length;
    }
    this.drifting = this.blown = true;
    this.setDrift();
  }
  /** Change of the time at a cell where another is slower by so much: G by twice that, b by that. */
  sensitivity(cell: number): Reals {
    const weights = this.times instanceof Float32Array ? new Float32Array(this.times.length) : new Float64Array(this.times.length);
    weights[cell] = 1;
    const out = this.ground!.adjoint(weights), total = weights.fill(0);
    [...this.metric.map((m, k) => [m, out[this.metric.length === 1 ? 0 : k], 2] as const),
      ...this.drift.map((b, k) => [b, out[3 + k], 1] as const)].forEach(([plane, d, factor]) => {
      if (d) for (let i = 0; i < total.length; i++) total[i]! += factor * plane[i]! * d[i]!;
    });
    return total;
  }
  command(): Command {
    const shape = [this.rows, this.cols], files: Command["files"] = [];
    let text = this.facts.command?.solve ?? "zermelo solve --metric metric.npy";
    const instead = (name: string, values: Numbers, size: number[]): void => {
      text = without(text, name) + ` --${name} ${name}.npy`;
      files.push([`${name}.npy`, npy(values, size)]);
    };
    if (this.blown) instead("drift", Float64Array.from([...this.drift[0]!, ...this.drift[1]!]), [2, ...shape]);
    if (this.blocked && this.walls) instead("walls", Uint8Array.from(this.walls, (from) => (from < Infinity ? 1 : 0)), shape);
    return { files, text: [text, ...this.sources.map((s) => `--source ${s.row},${s.col}${s.time ? `,${s.time}` : ""}`),
      "--out times.npy"].join(" ") };
  }
}

/** A landscape with one of its fires. */
class FireModel extends Model {
  readonly land: Land;
  private number = 0;
  private burnable: Uint8Array | null = null;
  readonly canSolve = true;
  constructor(facts: Facts, times: Reals, engine: Engine, readonly layers: Record<string, Numbers>) {
    super(facts, times);
    this.land = new Land(engine, facts.shape, facts.fire!, layers);
    this.choose(0);
  }
  choose(number: number): void {
    this.number = number;
    this.land.setModel(this.facts.fire!.physics);
    this.reset();
  }
  get fire(): Fire { return this.facts.fire!.fires[this.number]!; }
  reset(): void {
    this.sources = this.given(this.fire.ignitions);
    this.walls = null;
    this.land.setBarrier(null);
    const { wind_factor, moisture_offset } = this.facts.fire!;
    this.weather = { speed: wind_factor, turn: 0, moisture: moisture_offset };
  }
  burning(): Burning {
    const first = this.sources[0], f = this.fire, w = this.weather;
    const ignition = this.sources.length === 1 && first!.time === 0 && !(f.sources && this.sources.length === f.ignitions.length);
    return { fire: f, windFactor: w.speed, windTurn: w.turn, moistureOffset: w.moisture, sources: this.sources, ignition };
  }
  protected run(): Reals { return this.land.burn(this.burning()); }
  override block(cells: number[], from: number): void {
    super.block(cells, from);
    this.land.setBarrier(this.walls);
  }
  blow(): void { /* weather has its own controls */ }
  path(row: number, col: number): PathPoint[] { return this.land.path(row, col); }
  /** Minutes that the fire is at the cell (and its neighbours) later where another is slower by 1 %. */
  sensitivity(cell: number): Float64Array<ArrayBuffer> {
    const assets = new Uint8Array(this.rows * this.cols), row = Math.floor(cell / this.cols), col = cell % this.cols;
    for (let r = Math.max(row - 1, 0); r <= Math.min(row + 1, this.rows - 1); r++)
      for (let c = Math.max(col - 1, 0); c <= Math.min(col + 1, this.cols - 1); c++) assets[r * this.cols + c] = 1;
    return this.land.sensitivity(assets).map((d) => -0.6 * d);
  }
  refuses(cell: number, time: number): string {
    this.burnable ??= this.land.burnable();
    const fuel = this.layers["fuel"]?.[cell] ?? 0;
    if (!this.burnable[cell]) return `fuel ${fuel} cannot burn: nothing is lit there`;
    return time < this.fire.hours ? "" : `the fire is followed to hour ${this.fire.hours}: nothing is lit at ${time}`;
  }
  /** The clock on which the sun is so far ahead, to the minute: the tool takes it from the longitude. */
  private zone(ahead: number): string {
    const middle = ahead && lonLat(this.facts, (this.rows - 1) / 2, (this.cols - 1) / 2);
    if (!middle) return "";
    const minutes = Math.round(60 * (middle[0] / 15 - ahead)), two = (x: number): string => String(Math.floor(x)).padStart(2, "0");
    return `--time-zone ${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)} `;
  }
  /** A fire of the scene as it is, or its ground, weather and ignitions as the reader left them. */
  command(): Command {
    const f = this.fire, w = this.weather, all = this.facts.fire!, files: Command["files"] = [];
    const base = without(this.facts.command?.fire ?? "zermelo fire physics --scene scene", "t-max");
    const until = `--t-max ${f.hours} --out times`, quoted = (text: string): string => `'${text.replace(/'/g, "'\\''")}'`;
    let text = `${base}${/ --(fire|observed) /.test(base) ? "" : ` --fire ${quoted(f.name)}`}`;
    const same = JSON.stringify(this.sources) === JSON.stringify(this.given(f.ignitions));
    if (!same || w.turn) {
      const [month, day, hour] = f.start, two = (x: number): string => String(Math.floor(x)).padStart(2, "0");
      text = without(without(base, "fire"), "fuel-moisture")
        .replace(new RegExp(` --(scene|observed) ${WORD}`), " --landscape $2/landscape.tif")
        + ` --weather weather.csv --start ${two(month)}-${two(day)}T${two(hour)}:${two((hour % 1) * 60 + 1e-6)}`
        + ` --fuel-moisture ${f.moisture.join(",")} ${this.zone(f.sun_ahead)}`
        + this.sources.map((s) => `--ignition ${s.row},${s.col}${s.time ? `@${s.time}` : ""}`).join(" ");
      files.push(["weather.csv", `hour,temperature_c,relative_humidity_pct,wind_speed_kmh,wind_dir_deg,cloud_pct,precip_mm\n`
        + [...(f.earlier ?? []), ...f.weather].map(([t, h, speed, from, cloud, rain], k) =>
          [k - (f.earlier?.length ?? 0), t, h, speed, (from! + w.turn + 360) % 360, cloud, rain].join(",")).join("\n") + "\n"]);
    }
    if (this.walls?.some((hour) => hour < Infinity)) {
      files.push(["barriers.geojson", barriers(this.facts, this.walls)]);
      text += " --barriers barriers.geojson";
    }
    if (w.speed !== all.wind_factor || w.moisture !== all.moisture_offset) {
      const item = (parameter: string, value: number, more = {}): object =>
        ({ parameter, value, low: value, high: value, cells: 0, ...more });
      const factors = all.fuel_factors.map(([fuel, value]) => item("fuel_factor", value!, { fuel_model: fuel }));
      const parameters = [item("wind_factor", w.speed), item("moisture_offset_pct", w.moisture), ...factors];
      files.push(["calibration.json", JSON.stringify({ parameters, error_before: 0, error_after: 0, iterations: 0, converged: true })]);
      text = `${without(text, "calibration")} --calibration calibration.json`;
    }
    return { files, text: `${text} ${until}` };
  }
}

export type { FireModel };

export async function openModel(facts: Facts, engine: Engine): Promise<Model> {
  const role = async (name: string): Promise<Numbers | null> => {
    const k = fieldWithRole(facts, name);
    return k < 0 ? null : readField(facts, k);
  };
  const none = new Float32Array(facts.shape[0] * facts.shape[1]).fill(Infinity);
  const times = ((await role("times")) as Reals | null) ?? none;
  if (facts.kind === "grid")
    return new GridModel(facts, times, engine, await role("metric"), await role("drift"), await role("obstacles"));
  const layers: Record<string, Numbers> = {};
  for (const name of ["elevation", "slope", "aspect", "fuel", "cover", "height", "base", "density"]) {
    const layer = await role(name);
    if (layer) layers[name] = layer;
  }
  return new FireModel(facts, times, engine, layers);
}
