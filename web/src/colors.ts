/* SPDX-License-Identifier: Apache-2.0
 * Colours of numbers, of fuels, and of the ground. */
import type { Numbers } from "./data";

/* Eleven colours each, from low to high. */
const MAPS: Record<string, string> = {
  viridis: "440154 482475 414487 355f8d 2a788e 21918c 22a884 44bf70 7ad151 bddf26 fde725",
  magma: "000004 140e36 3b0f70 641a80 8c2981 b73779 de4968 f7705c fe9f6d fecf92 fcfdbf",
  cividis: "00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fdea45 fdea45",
  fire: "fff7bc fee79b fed976 feb24c fd8d3c fc6a2d f03b20 d7191c a50f15 7a0a10 3f0509",
  chance: "ffffff e7f0fa cfe1f2 b0d2e8 8bc0dd 61a7d2 3e8ec4 2272b4 0d57a1 083d7f 08306b",
  signed: "053061 2166ac 4393c3 92c5de d1e5f0 f7f7f7 fddbc7 f4a582 d6604d b2182b 67001f",
  ground: "1b3a2a 2b5a3c 4a7a4a 74955a 9fae70 c3bf8a d6c9a0 cdb592 c2a58c d8cabd f5f3f0",
};
export const MAP_NAMES = ["viridis", "magma", "cividis", "fire"];

/** 256 colours, RGBA. */
export function colorTable(name: string): Uint8Array<ArrayBuffer> {
  const stops = (MAPS[name] ?? MAPS["viridis"]!).split(" ").map((hex) => parseInt(hex, 16));
  const out = new Uint8Array(1024);
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (stops.length - 1), k = Math.min(Math.floor(at), stops.length - 2), u = at - k;
    for (let c = 0; c < 3; c++) {
      const byte = (of: number): number => (of >> (16 - 8 * c)) & 255;
      out[4 * i + c] = Math.round((1 - u) * byte(stops[k]!) + u * byte(stops[k + 1]!));
    }
    out[4 * i + 3] = 255;
  }
  return out;
}

/** The groups of fuel models: the last number of each, its colour, its name. */
export const FUELS: [number, string, string][] = [
  [0, "9a9a9a", "none"], [3, "f2e07a", "grass"], [7, "c9a66b", "shrub"], [10, "6f9e5a", "timber litter"],
  [13, "9c6b4a", "slash"], [90, "9a9a9a", "own fuel"], [99, "b9c7d6", "does not burn"],
  [109, "f2e07a", "grass"], [124, "dcc46a", "grass and shrub"], [149, "c9a66b", "shrub"],
  [165, "8cab62", "timber and understory"], [189, "5f8f52", "timber litter"], [204, "9c6b4a", "slash"],
  [256, "b08ad0", "own fuel"],
];
export const fuelGroup = (number: number): [number, string, string] =>
  FUELS.find(([last]) => number <= last) ?? FUELS[0]!;

/** Least and greatest finite number; [0, 1] where there is none. */
export function range(values: ArrayLike<number>): [number, number] {
  let low = Infinity, high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const v = values[i]!;
    if (v < low && v > -Infinity) low = v;
    if (v > high && v < Infinity) high = v;
  }
  return low <= high ? [low, high] : [0, 1];
}

/** 1, 2 or 5 times a power of ten, so that about `count` of them fill the width. */
export function niceStep(width: number, count: number): number {
  const rough = width / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((k) => k * power >= rough * 0.999) ?? 10) * power;
  return step > 0 && step < Infinity ? step : 1;
}

/** With digits enough to tell apart what lies in a range of this width. */
export function shown(x: number, unit = "", width = 0): string {
  if (!Number.isFinite(x)) return x > 0 ? "never" : "no data";
  const more = width > 0 && x !== 0 ? Math.ceil(Math.log10(Math.abs(x) / width)) : 0;
  return `${Number(x.toPrecision(Math.min(Math.max(4, 4 + more), 17)))} ${unit}`.trim();
}

/** Light of a sun in the north-west on a surface, 0..1 per cell: Lambert, as maps are drawn. */
export function hillshade(height: Numbers, rows: number, cols: number, dy: number, dx: number): Float32Array {
  const out = new Float32Array(rows * cols), [low, high] = range(height);
  const up = 0.35 * Math.hypot(rows * dy, cols * dx) / Math.max(high - low, 1e-30); // at most: flat land too
  const z = Math.min(Math.max(up / 20, 1), 4);
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < cols; c++) {
      const at = (i: number, j: number): number =>
        height[Math.min(Math.max(i, 0), rows - 1) * cols + Math.min(Math.max(j, 0), cols - 1)]!;
      const gx = (z * (at(r, c + 1) - at(r, c - 1))) / (2 * dx), gy = (z * (at(r + 1, c) - at(r - 1, c))) / (2 * dy);
      const light = (gx * 0.5 + gy * 0.5 + 0.7071) / Math.sqrt(gx * gx + gy * gy + 1);
      out[r * cols + c] = Number.isFinite(light) ? Math.min(Math.max(light, 0), 1) : 0.7;
    }
  return out;
}

/** RGBA of the ground: a map in its colours, shaded where there is a height. */
export function groundImage(values: Numbers | null, fuel: boolean, shade: Float32Array | null, cells: number,
  dark: boolean): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(4 * cells), table = colorTable("ground");
  const [low, high] = values && !fuel ? range(values) : [0, 1];
  const fuels = Array.from({ length: 257 }, (_, k) => parseInt(fuelGroup(k)[1], 16));
  for (let i = 0; i < cells; i++) {
    const v = values?.[i] ?? 0, light = shade ? 0.45 + 0.75 * shade[i]! : 1;
    let rgb = dark ? 0x3a4046 : 0xe9e6df;
    if (values && fuel) rgb = fuels[Math.min(Math.max(Math.round(v), 0), 256)]!;
    else if (values && Number.isFinite(v)) {
      const k = 4 * Math.round((255 * (v - low)) / (high - low || 1));
      rgb = (table[k]! << 16) | (table[k + 1]! << 8) | table[k + 2]!;
    }
    for (let c = 0; c < 3; c++) out[4 * i + c] = Math.min(255, ((rgb >> (16 - 8 * c)) & 255) * light);
    out[4 * i + 3] = 255;
  }
  return out;
}
