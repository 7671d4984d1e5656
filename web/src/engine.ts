/* SPDX-License-Identifier: Apache-2.0
 * The solver: a WebAssembly module, and what it was given. */
import type { FireFacts, Fire, Numbers, Reals } from "./data";

type Call = (...numbers: number[]) => number;
export interface Source { row: number; col: number; time: number }
export interface Ring { points: [number, number][]; area: number; shell: number }
export interface PathPoint { row: number; col: number; time: number }

const LAYERS = ["elevation", "slope", "aspect", "fuel", "cover", "height", "base", "density"];
const MODEL = ["crown", "conditioning", "foliar_moisture", "acceleration", "smoothing", "hindrance",
  "enclosed", "moisture_classes", "front"];
const SPREADS = ["members", "seed", "wind_speed", "wind_dir", "temperature", "humidity", "moisture",
  "live_moisture", "rate", "ignition"];
const FUEL_BYTES = 104, FUEL_NUMBERS = 256;

export class Engine {
  private constructor(private readonly exports: WebAssembly.Exports) {}

  static async make(module: WebAssembly.Module): Promise<Engine> {
    // What an operating system would offer: an environment without variables, no files, and no end.
    const system: Record<string, (...at: number[]) => number> = {};
    for (const { name } of WebAssembly.Module.imports(module)) system[name] = (): number => 52;
    system["environ_get"] = (): number => 0;
    system["environ_sizes_get"] = (count, bytes): number => {
      for (const at of [count, bytes]) new DataView(engine.memory).setUint32(at, 0, true);
      return 0;
    };
    system["proc_exit"] = (): never => { throw new Error("the solver gave up"); };
    const engine: Engine = new Engine((await WebAssembly.instantiate(module, { wasi_snapshot_preview1: system })).exports);
    return engine;
  }

  call(name: string, ...numbers: number[]): number {
    return (this.exports[name] as Call)(...numbers);
  }
  /** As call; a status below zero is an error with the words of the library. */
  check(name: string, ...numbers: number[]): number {
    const status = this.call(name, ...numbers);
    if (status < 0) throw new Error(this.message());
    return status;
  }
  opened(name: string, ...numbers: number[]): number {
    const handle = this.call(name, ...numbers);
    if (!handle) throw new Error(this.message() || "no memory");
    return handle;
  }
  message(): string {
    const bytes = new Uint8Array(this.memory, this.call("page_message"), 240);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }
  get memory(): ArrayBuffer { // anew after each call: growing detaches it
    return (this.exports["memory"] as WebAssembly.Memory).buffer;
  }
  alloc(bytes: number): number {
    const at = this.call("page_alloc", Math.max(bytes, 8));
    if (!at) throw new Error(`no memory for ${(bytes / 1e6).toFixed(0)} MB`);
    return at;
  }
  free(at: number): void { this.call("page_free", at); }
  put(numbers: Numbers | Uint32Array, at = this.alloc(numbers.byteLength)): number {
    new Uint8Array(this.memory).set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), at);
    return at;
  }
  /** Numbers in place of those at an address, 0 for none; where they are now. */
  replace(at: number, numbers: Numbers | null): number {
    if (numbers) return this.put(numbers, at || undefined);
    if (at) this.free(at);
    return 0;
  }
  get<T extends Numbers | Uint32Array>(into: T, at: number): T {
    new Uint8Array(into.buffer, into.byteOffset, into.byteLength)
      .set(new Uint8Array(this.memory, at, into.byteLength));
    return into;
  }
  putSources(sources: Source[]): number {
    return this.put(new Float64Array(sources.flatMap((s) => [s.row, s.col, s.time])));
  }

  /** Counts the points of a path, then fetches them. */
  path(name: string, handle: number, row: number, col: number): PathPoint[] {
    const room = this.call(name, handle, row, col, 0, 0);
    if (room <= 0) return [];
    const at = this.alloc(24 * room), n = Math.max(this.call(name, handle, row, col, at, room), 0);
    const xyt = new Float64Array(this.memory, at, 3 * n).slice();
    this.free(at);
    return Array.from({ length: n }, (_, i) => ({ row: xyt[3 * i]!, col: xyt[3 * i + 1]!, time: xyt[3 * i + 2]! }));
  }
  /** Rings of {T <= level}, points as (row, col). */
  outline(rows: number, cols: number, T: Reals, level: number): Ring[] {
    const at = this.put(T), ring = this.alloc(32), rings: Ring[] = [];
    const n = this.call("outline_find", rows, cols, T instanceof Float32Array ? 1 : 0, at, level);
    const points = this.call("outline_points");
    for (let k = 0; k < n; k++) {
      this.call("outline_ring", k, ring);
      const [begin, count, area, shell] = new Float64Array(this.memory, ring, 4) as unknown as number[];
      const xy = new Float64Array(this.memory, points + 16 * begin!, 2 * count!);
      rings.push({ area: area!, shell: shell!,
        points: Array.from({ length: count! }, (_, i) => [xy[2 * i]!, xy[2 * i + 1]!]) });
    }
    this.free(at);
    this.free(ring);
    if (n < 0) throw new Error(this.message());
    return rings;
  }
}

/** A metric: planes of one type, which may change between solves. */
export class Ground {
  private readonly handle: number;
  private readonly planes: number[] = [0, 0, 0, 0, 0];
  private readonly T: number;
  private walls = 0;
  private sources = 0;

  constructor(private readonly engine: Engine, private readonly shape: [number, number],
    spacing: [number, number], private readonly real: "f4" | "f8", order: number, adaptive: boolean,
    factor: number, periodic: number) {
    this.handle = engine.opened("grid_open", shape[0], shape[1], spacing[1], spacing[0],
      real === "f4" ? 1 : 0, order, adaptive ? 1 : 0, factor, periodic);
    this.T = engine.alloc(this.cells * (real === "f4" ? 4 : 8));
  }
  private get cells(): number { return this.shape[0] * this.shape[1]; }
  private make(): Reals {
    return this.real === "f4" ? new Float32Array(this.cells) : new Float64Array(this.cells);
  }
  /** Plane k of g11, g12, g22, b1, b2; null: none. */
  setPlane(k: number, values: Reals | null): void { this.planes[k] = this.engine.replace(this.planes[k]!, values); }
  setWalls(walls: Uint8Array<ArrayBuffer> | null): void { this.walls = this.engine.replace(this.walls, walls); }
  solve(sources: Source[], tMax: number): Reals {
    this.engine.free(this.sources);
    this.sources = this.engine.putSources(sources);
    this.engine.check("grid_solve", this.handle, ...this.planes, this.walls, this.sources, sources.length,
      tMax, this.T);
    return this.engine.get(this.make(), this.T);
  }
  /** Derivatives of sum(weights T) with respect to the planes that are there. */
  adjoint(weights: Reals): (Reals | null)[] {
    const at = this.engine.put(weights);
    const out = this.planes.map((plane) => (plane ? this.engine.alloc(weights.byteLength) : 0));
    try {
      this.engine.check("grid_adjoint", this.handle, at, ...out);
      return out.map((plane) => (plane ? this.engine.get(this.make(), plane) : null));
    } finally {
      [at, ...out].forEach((block) => this.engine.free(block));
    }
  }
  path(row: number, col: number): PathPoint[] {
    return this.engine.path("grid_path", this.handle, row, col);
  }
}

/** What a fire burns with beside its landscape. */
export interface Burning {
  fire: Fire; windFactor: number; windTurn: number; moistureOffset: number;
  sources: Source[]; ignition: boolean; // the one source is the fire's own ignition
}

/** A landscape with the fire physics. */
export class Land {
  private readonly handle: number;
  private readonly T: number;
  private readonly factors: number;
  private barrier = 0;
  private blocks: number[] = []; // of the last fire

  constructor(private readonly engine: Engine, private readonly shape: [number, number],
    facts: FireFacts, layers: Record<string, Numbers>) {
    const n = shape[0] * shape[1], fuels = new DataView(new ArrayBuffer(FUEL_BYTES * facts.fuels.length));
    if (engine.call("fire_fuel_bytes") !== FUEL_BYTES) throw new Error("fuel models have another size");
    facts.fuels.forEach((fuel, k) => fuel.forEach((value, i) => i < 2
      ? fuels.setInt32(FUEL_BYTES * k + 4 * i, value, true)
      : fuels.setFloat64(FUEL_BYTES * k + 8 * (i - 1), value, true)));
    const addresses = new Uint32Array(LAYERS.map((name) => {
      const layer = layers[name];
      return layer ? engine.put(Float32Array.from(layer)) : 0;
    }));
    this.handle = engine.opened("fire_open", shape[0], shape[1], facts.cell, facts.latitude,
      facts.station_elevation ?? 0, engine.put(addresses), engine.put(new Uint8Array(fuels.buffer)),
      facts.fuels.length);
    this.T = engine.alloc(4 * n);
    const factor = new Float64Array(FUEL_NUMBERS).fill(1);
    for (const [number, value] of facts.fuel_factors) factor[number!] = value!;
    this.factors = engine.put(factor);
  }
  setModel(physics: Record<string, number | null>): void {
    const of = new Float64Array(MODEL.map((name) => {
      if (physics[name] === undefined) throw new Error(`the model of this page has no ${name}`);
      return physics[name] ?? Infinity; // null stands for what is not finite
    }));
    const at = this.engine.put(of);
    this.engine.check("fire_model", this.handle, at);
    this.engine.free(at);
  }
  /** Where the fuel can burn. */
  burnable(): Uint8Array<ArrayBuffer> {
    const at = this.engine.alloc(this.shape[0] * this.shape[1]);
    this.engine.call("fire_burnable", this.handle, at);
    const mask = this.engine.get(new Uint8Array(this.shape[0] * this.shape[1]), at);
    this.engine.free(at);
    return mask;
  }
  setBarrier(hours: Float64Array<ArrayBuffer> | null): void { this.barrier = this.engine.replace(this.barrier, hours); }
  /** The fire as it will burn; returns address and number of its sources. */
  private set(b: Burning): [number, number] {
    const f = b.fire, first = b.sources[0], own = b.ignition && first;
    const turned = (hours: number[][]): Float64Array<ArrayBuffer> => new Float64Array(hours.flatMap(
      ([t, h, speed, from, cloud, rain]) => [t!, h!, speed!, (from! + b.windTurn + 360) % 360, cloud!, rain!]));
    this.blocks.forEach((block) => this.engine.free(block));
    const weather = this.engine.put(turned(f.weather)), earlier = this.engine.put(turned(f.earlier ?? []));
    const of = this.engine.put(new Float64Array([own ? own.row : -1, own ? own.col : -1,
      f.duration ?? Infinity, ...f.start, f.sun_ahead, ...f.moisture]));
    const sources = this.engine.putSources(b.sources);
    this.blocks = [weather, earlier, of, sources];
    this.engine.call("fire_weather", this.handle, of, weather, f.weather.length, earlier, f.earlier?.length ?? 0);
    this.engine.call("fire_correct", this.handle, b.windFactor, b.moistureOffset, this.factors, this.barrier);
    return [sources, own ? 0 : b.sources.length];
  }
  burn(b: Burning): Float32Array<ArrayBuffer> {
    const [sources, n] = this.set(b);
    this.engine.check("fire_burn", this.handle, sources, n, b.fire.hours, this.T);
    return this.engine.get(new Float32Array(this.shape[0] * this.shape[1]), this.T);
  }
  path(row: number, col: number): PathPoint[] {
    return this.engine.path("fire_path", this.handle, row, col);
  }
  /** Change of the mean time at the assets for a change of the logarithm of each cell's rate. */
  sensitivity(assets: Uint8Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
    const at = this.engine.put(assets), out = this.engine.alloc(8 * assets.length);
    try {
      this.engine.check("fire_sensitivity", this.handle, this.T, at, out);
      return this.engine.get(new Float64Array(assets.length), out);
    } finally {
      this.engine.free(at);
      this.engine.free(out);
    }
  }
  /** How many of n members from `first` on reach each cell. */
  members(b: Burning, spread: Record<string, number>, first: number, n: number): Uint32Array<ArrayBuffer> {
    const reached = new Uint32Array(this.shape[0] * this.shape[1]);
    const [sources, count] = this.set(b), out = this.engine.put(reached);
    const of = this.engine.put(new Float64Array(SPREADS.map((name) => spread[name] ?? 0)));
    try {
      this.engine.check("fire_members", this.handle, of, first, n, sources, count, b.fire.hours, out);
      return this.engine.get(reached, out);
    } finally {
      this.engine.free(out);
      this.engine.free(of);
    }
  }
}
