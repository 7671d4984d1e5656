/* SPDX-License-Identifier: Apache-2.0
 * What a page was given: facts, and fields behind base64 (web/README.md). */

export type Numbers = Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer> | Int16Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>;
export type Reals = Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

export interface Field {
  role: string; name: string; label: string; unit: string;
  type: "f4" | "f8" | "i2" | "u1"; planes: number;
}
export interface Place {
  crs?: string; epsg?: number; wkt?: string; transform: number[]; north?: number;
  lonlat?: { rows: number; cols: number; lon: (number | null)[]; lat: (number | null)[] };
}
export interface Fire {
  name: string; ignitions: number[][]; sources: number; hours: number; duration?: number;
  start: [number, number, number]; sun_ahead: number; moisture: number[]; weather: number[][];
  earlier?: number[][]; times: number; observed: number; begin?: string;
}
export interface FireFacts {
  physics: Record<string, number | null>; wind_factor: number; moisture_offset: number;
  fuel_factors: number[][]; cell: number; latitude: number; station_elevation?: number;
  fuels: number[][]; fires: Fire[]; ensemble?: Record<string, number>;
}
export interface Facts {
  format: number; kind: "grid" | "fire"; title: string; program: string;
  shape: [number, number]; spacing: [number, number];
  units: { time: string; length: string }; colormap?: string; place?: Place; fields: Field[];
  solve?: {
    sources: number[][]; order: number; stencil: string; factored: string; t_max?: number; periodic?: string;
    precision: "f4" | "f8";
  };
  command?: { solve?: string; fire?: string };
  fire?: FireFacts;
  tables?: { title: string; columns: string[]; rows: (string | number)[][] }[];
}

const FORMAT = 1;
const ARRAYS = { f4: Float32Array, f8: Float64Array, i2: Int16Array, u1: Uint8Array };

const textOf = (id: string): string => document.getElementById(id)?.textContent ?? "";

export function readFacts(): Facts {
  const facts = { spacing: [1, 1], ...JSON.parse(textOf("facts")) as object } as Facts;
  if (facts.format !== FORMAT)
    throw new Error(`this page has data of format ${facts.format}, and reads format ${FORMAT}`);
  if (facts.place?.lonlat?.lon.includes(null)) delete facts.place.lonlat; // parts of the map have no place on the globe
  return facts;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const chunk = 1 << 20; // a multiple of four characters
  const bytes = new Uint8Array(Math.ceil(text.length / 4) * 3);
  let n = 0;
  for (let at = 0; at < text.length; at += chunk) {
    const piece = atob(text.slice(at, at + chunk));
    for (let i = 0; i < piece.length; i++) bytes[n++] = piece.charCodeAt(i);
  }
  return bytes.subarray(0, n);
}

/** The bytes of an element: base64 of a zlib stream. */
export async function inflate(id: string): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([fromBase64(textOf(id).trim())]);
  const stream = packed.stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The numbers of field k, plane after plane. */
export async function readField(facts: Facts, k: number): Promise<Numbers> {
  const field = facts.fields[k];
  if (!field) throw new Error(`the page has no field ${k}`);
  const bytes = await inflate(`data-${k}`);
  const make = ARRAYS[field.type], size = make.BYTES_PER_ELEMENT;
  const n = facts.shape[0] * facts.shape[1] * field.planes;
  if (bytes.length !== n * size)
    throw new Error(`${field.label} has ${bytes.length} bytes, ${n * size} are needed`);
  if (size === 1) return bytes;
  const plain = new Uint8Array(n * size);
  for (let byte = 0; byte < size; byte++)
    for (let i = 0, from = byte * n, to = byte; i < n; i++, to += size) plain[to] = bytes[from + i]!;
  return new make(plain.buffer);
}

/** Index of the first field of a role; -1: none. */
export const fieldWithRole = (facts: Facts, role: string): number =>
  facts.fields.findIndex((f) => f.role === role);

/* ---- places ------------------------------------------------------------------------- */

/** Map coordinates of a cell's middle; whole numbers are middles. */
export function mapPoint(place: Place, row: number, col: number): [number, number] {
  const [x0, dx, rx, y0, ry, dy] = place.transform as [number, number, number, number, number, number];
  return [x0 + dx * (col + 0.5) + rx * (row + 0.5), y0 + ry * (col + 0.5) + dy * (row + 0.5)];
}

/** Longitude and latitude between the points that the page knows.  Across 180 degrees longitudes go on. */
export function lonLat(facts: Facts, row: number, col: number): [number, number] | null {
  const grid = facts.place?.lonlat;
  if (!grid) return null;
  const place = (at: number, cells: number, points: number): [number, number] => {
    const p = cells > 1 ? (at / (cells - 1)) * (points - 1) : 0;
    const k = Math.max(0, Math.min(Math.floor(p), points - 2));
    return [k, p - k];
  };
  const [i, u] = place(row, facts.shape[0], grid.rows), [j, v] = place(col, facts.shape[1], grid.cols);
  const mix = (of: (number | null)[]): number => {
    const at = (a: number, b: number): number => {
      const value = of[Math.min(a, grid.rows - 1) * grid.cols + Math.min(b, grid.cols - 1)]!;
      return of === grid.lon ? value + 360 * Math.round((of[0]! - value) / 360) : value;
    };
    return (1 - u) * ((1 - v) * at(i, j) + v * at(i, j + 1)) + u * ((1 - v) * at(i + 1, j) + v * at(i + 1, j + 1));
  };
  return [mix(grid.lon), mix(grid.lat)];
}
