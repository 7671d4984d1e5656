/* SPDX-License-Identifier: Apache-2.0
 * What can be taken away: arrays, maps, outlines, the picture. */
import { lonLat, mapPoint, type Facts, type Numbers, type Reals } from "./data";
import type { Engine, Ring } from "./engine";
import { shown } from "./colors";

type Bytes = Uint8Array<ArrayBuffer>;

export function download(name: string, bytes: Bytes | string | Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** A file name out of a title, without what a shell or a browser might obey. */
export const fileStem = (title: string): string =>
  title.normalize("NFKD").replace(/[^A-Za-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60) || "zermelo";

export function npy(values: Numbers, shape: number[]): Bytes {
  const kind = values instanceof Float32Array ? "<f4" : values instanceof Float64Array ? "<f8"
    : values instanceof Int16Array ? "<i2" : "|u1";
  let text = `{'descr': '${kind}', 'fortran_order': False, 'shape': (${shape.join(", ")},), }`;
  text += " ".repeat(63 - ((text.length + 10) % 64)) + "\n";
  const out = new Uint8Array(10 + text.length + values.byteLength);
  out.set([0x93, 78, 85, 77, 80, 89, 1, 0, text.length & 255, text.length >> 8]);
  out.set(new TextEncoder().encode(text), 10);
  out.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), 10 + text.length);
  return out;
}

/** One band of float32 without compression; -9999 where there is no number. */
export function geotiff(T: Reals, facts: Facts): Bytes {
  const [rows, cols] = facts.shape, place = facts.place, encoder = new TextEncoder();
  const t = place?.transform ?? [0, facts.spacing[1], 0, 0, 0, -facts.spacing[0]];
  const geographic = /^\s*(GEOG|GEODCRS)/.test(place?.wkt ?? "");
  const model = place ? (geographic ? 2 : 1) : 0;
  const keys = [1, 1, 0, 0, 1025, 0, 1, 1, ...(model ? [1024, 0, 1, model] : []),
    ...(place?.epsg && place.epsg < 65536 ? [geographic ? 2048 : 3072, 0, 1, place.epsg] : [])];
  keys[3] = keys.length / 4 - 1;
  // key numbers rise
  const sorted = Array.from({ length: keys[3] }, (_, i) => keys.slice(4 + 4 * i, 8 + 4 * i)).sort((a, b) => a[0]! - b[0]!);
  const SHORT = 3, LONG = 4, DOUBLE = 12, ASCII = 2;
  const tags: [number, number, number[]][] = [[256, LONG, [cols]], [257, LONG, [rows]], [258, SHORT, [32]],
    [259, SHORT, [1]], [262, SHORT, [1]], [273, LONG, [0]], [277, SHORT, [1]], [278, LONG, [rows]],
    [279, LONG, [4 * rows * cols]], [284, SHORT, [1]], [339, SHORT, [3]],
    [34264, DOUBLE, [t[1]!, t[2]!, 0, t[0]!, t[4]!, t[5]!, 0, t[3]!, 0, 0, 0, 0, 0, 0, 0, 1]],
    [34735, SHORT, [1, 1, 0, sorted.length, ...sorted.flat()]], [42113, ASCII, [...encoder.encode("-9999\0")]]];
  const widths: Record<number, number> = { [SHORT]: 2, [LONG]: 4, [DOUBLE]: 8, [ASCII]: 1 };
  const head = 8 + 2 + 12 * tags.length + 4;
  const room = tags.reduce((sum, [, type, of]) => sum + ((widths[type]! * of.length + 7) & ~7), 0);
  const data = (head + room + 7) & ~7, view = new DataView(new ArrayBuffer(data + 4 * rows * cols));
  tags[5]![2] = [data];
  view.setUint32(0, 0x002a4949, true);
  view.setUint32(4, 8, true);
  view.setUint16(8, tags.length, true);
  let next = (head + 7) & ~7;
  tags.forEach(([tag, type, of], k) => {
    const at = 10 + 12 * k, width = widths[type]!, inside = width * of.length <= 4;
    view.setUint16(at, tag, true);
    view.setUint16(at + 2, type, true);
    view.setUint32(at + 4, of.length, true);
    if (!inside) view.setUint32(at + 8, next, true);
    of.forEach((value, i) => {
      const to = (inside ? at + 8 : next) + width * i;
      if (type === SHORT) view.setUint16(to, value, true);
      else if (type === LONG) view.setUint32(to, value, true);
      else if (type === DOUBLE) view.setFloat64(to, value, true);
      else view.setUint8(to, value);
    });
    if (!inside) next += (width * of.length + 7) & ~7;
  });
  for (let i = 0; i < T.length; i++) view.setFloat32(data + 4 * i, Number.isFinite(T[i]) ? T[i]! : -9999, true);
  return new Uint8Array(view.buffer);
}

/* ---- outlines ------------------------------------------------------------------------- */

export interface Outline { level: number; polygons: [number, number][][][] } // polygon: shell, then holes

const area = (ring: [number, number][]): number =>
  ring.reduce((sum, [x, y], k) => sum + x * ring[(k + 1) % ring.length]![1] - y * ring[(k + 1) % ring.length]![0], 0) / 2;

/** Burned or crossed ground at each level, in lon/lat where known, else in map units or cells. */
export function outlines(engine: Engine, facts: Facts, T: Reals, levels: number[]): Outline[] {
  const place = (row: number, col: number): [number, number] =>
    lonLat(facts, row, col) ?? (facts.place ? mapPoint(facts.place, row, col) : [col, row]);
  return levels.map((level) => {
    const rings = engine.outline(facts.shape[0], facts.shape[1], T, level), polygons = new Map<number, [number, number][][]>();
    rings.forEach((ring: Ring) => {
      const points = ring.points.map(([row, col]) => place(row, col));
      const turn = area(points) > 0 === ring.area > 0 ? points : points.reverse(); // shells counter-clockwise on the map
      const list = polygons.get(ring.shell) ?? [];
      list.push([...turn, turn[0]!]);
      polygons.set(ring.shell, list);
    });
    return { level, polygons: [...polygons.values()] };
  });
}

export const geojson = (list: Outline[], facts: Facts): string => JSON.stringify({
  type: "FeatureCollection", name: facts.title,
  features: list.map(({ level, polygons }) => ({
    type: "Feature", properties: { time: level, unit: facts.units.time },
    geometry: { type: "MultiPolygon", coordinates: polygons },
  })),
});

/** Cells by the hour from which they are barriers: points in their middles, on the map of the landscape. */
export function barriers(facts: Facts, hours: Float64Array): string {
  const groups = new Map<number, [number, number][]>(), { place } = facts, [, cols] = facts.shape;
  hours.forEach((hour, cell) => {
    const row = Math.floor(cell / cols), col = cell % cols;
    if (hour === Infinity) return;
    const at = place?.epsg ? mapPoint(place, row, col) : lonLat(facts, row, col) ?? (place ? mapPoint(place, row, col) : [col, row]);
    groups.set(hour, [...(groups.get(hour) ?? []), at]);
  });
  const crs = place?.epsg && { crs: { type: "name", properties: { name: `urn:ogc:def:crs:EPSG::${place.epsg}` } } };
  return JSON.stringify({ type: "FeatureCollection", ...crs, features: [...groups].map(([hour, coordinates]) =>
    ({ type: "Feature", properties: { time_h: hour }, geometry: { type: "MultiPoint", coordinates } })) });
}

const xml = (text: string): string => text.replace(/[^\P{Cc}\t\n]/gu, "").replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

export function kml(list: Outline[], facts: Facts, begin: string | undefined): string {
  const ring = (points: [number, number][]): string =>
    `<LinearRing><coordinates>${points.map(([x, y]) => `${x.toFixed(7)},${y.toFixed(7)}`).join(" ")}</coordinates></LinearRing>`;
  const span = (hours: number): string => begin && facts.units.time === "h"
    ? `<TimeSpan><begin>${new Date(Date.parse(begin) + hours * 3.6e6).toISOString()}</begin></TimeSpan>` : "";
  const marks = list.map(({ level, polygons }) => `<Placemark><name>${shown(level)} ${xml(facts.units.time)}</name>${span(level)}`
    + `<Style><LineStyle><color>ff0000d0</color><width>1.5</width></LineStyle><PolyStyle><fill>0</fill></PolyStyle></Style><MultiGeometry>`
    + polygons.map(([shell, ...holes]) => `<Polygon><outerBoundaryIs>${ring(shell!)}</outerBoundaryIs>`
      + holes.map((hole) => `<innerBoundaryIs>${ring(hole)}</innerBoundaryIs>`).join("") + "</Polygon>").join("")
    + "</MultiGeometry></Placemark>");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>${xml(facts.title)}</name>`
    + `${marks.join("\n")}</Document></kml>\n`;
}
