/* SPDX-License-Identifier: Apache-2.0
 * The picture: ground, one coloured map, isochrones and perimeters by WebGL2; marks on a second
 * canvas above it. */
import type { Reals, Numbers } from "./data";
import { colorTable } from "./colors";
import FRAGMENT from "./map.frag.glsl";
import VERTEX from "./map.vert.glsl";

/** What part of the grid is seen: pixels of a cell, and the place at the upper left corner, where
 *  cell (r, c) covers r - 0.5 to r + 0.5. */
export interface View { across: number; down: number; row: number; col: number }

export interface Look {
  now: number; step: number; // as shares of the range of times
  lines: boolean; seen: boolean; opacity: number;
  cut: boolean; // nothing beyond `now`
  bare: boolean; // zero is nothing
  line: [number, number, number];
}

const MOST_TEXELS = 2048; // a side, unless every cell is wanted
const NEVER = 3e38;

export class Picture {
  private readonly gl: WebGL2RenderingContext;
  private readonly program: WebGLProgram;
  private readonly textures: WebGLTexture[] = [];
  private readonly at = new Map<string, WebGLUniformLocation | null>();
  private hasSeen = false;
  everyCell = false;

  constructor(readonly canvas: HTMLCanvasElement, private readonly rows: number, private readonly cols: number) {
    const gl = canvas.getContext("webgl2", { preserveDrawingBuffer: true, antialias: false });
    if (!gl) throw new Error("this browser has no WebGL2, which the picture is drawn with");
    this.gl = gl;
    this.program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]] as const) {
      const shader = gl.createShader(kind)!;
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader) ?? "shader");
    }
    gl.linkProgram(this.program);
    gl.useProgram(this.program);
    const smooth = gl.getExtension("OES_texture_float_linear") ? gl.LINEAR : gl.NEAREST;
    ["ground", "times", "shown", "seen", "table"].forEach((name, unit) => {
      this.textures.push(gl.createTexture());
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, this.textures[unit]!);
      for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
      for (const way of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
        gl.texParameteri(gl.TEXTURE_2D, way, name === "ground" || name === "table" ? gl.NEAREST : smooth);
      gl.uniform1i(gl.getUniformLocation(this.program, name), unit);
    });
  }
  /** One cell in so many, each way, is in the picture. */
  get thinning(): number {
    const most = this.everyCell ? (this.gl.getParameter(this.gl.MAX_TEXTURE_SIZE) as number) : MOST_TEXELS;
    return Math.ceil(Math.max(this.rows, this.cols) / most);
  }
  /** What the texels cover, in cells. */
  private get span(): [number, number] {
    const k = this.thinning;
    return [Math.ceil(this.cols / k) * k, Math.ceil(this.rows / k) * k];
  }
  private thin<T extends Uint8Array | Float64Array>(make: (n: number) => T, from: ArrayLike<number>, per: number): [T, number, number] {
    const k = this.thinning, rows = Math.ceil(this.rows / k), cols = Math.ceil(this.cols / k);
    const out = make(rows * cols * per);
    if (k === 1) {
      out.set(from);
      return [out, rows, cols];
    }
    for (let r = 0, o = 0; r < rows; r++)
      for (let c = 0; c < cols; c++) {
        const row = Math.min(r * k + (k >> 1), this.rows - 1), col = Math.min(c * k + (k >> 1), this.cols - 1);
        for (let i = 0, at = (row * this.cols + col) * per; i < per; i++) out[o++] = from[at + i]!;
      }
    return [out, rows, cols];
  }
  /** Numbers as shares of a range, which float32 holds whatever their size. */
  private numbers(unit: number, values: Numbers, [low, high]: [number, number]): void {
    const gl = this.gl, [all, rows, cols] = this.thin((n) => new Float64Array(n), values, 1), out = new Float32Array(all.length);
    const width = high > low ? high - low : 1;
    for (let i = 0; i < out.length; i++) out[i] = Number.isFinite(all[i]) ? (all[i]! - low) / width : NEVER;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R32F, cols, rows, 0, gl.RED, gl.FLOAT, out);
  }
  setGround(rgba: Uint8Array<ArrayBuffer>): void {
    const gl = this.gl, [out, rows, cols] = this.thin((n) => new Uint8Array(n), rgba, 4);
    gl.activeTexture(gl.TEXTURE0);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, cols, rows, 0, gl.RGBA, gl.UNSIGNED_BYTE, out);
  }
  setTimes(T: Reals, of: [number, number]): void { this.numbers(1, T, of); }
  setShown(values: Numbers, of: [number, number]): void { this.numbers(2, values, of); }
  setSeen(T: Numbers | null, of: [number, number]): void {
    this.hasSeen = T !== null;
    if (T) this.numbers(3, T, of);
  }
  setColors(name: string): void {
    this.gl.activeTexture(this.gl.TEXTURE4);
    this.gl.texImage2D(this.gl.TEXTURE_2D, 0, this.gl.RGBA, 256, 1, 0, this.gl.RGBA, this.gl.UNSIGNED_BYTE, colorTable(name));
  }
  draw(view: View, look: Look, map: boolean, times: boolean): void {
    const gl = this.gl, set = (name: string): WebGLUniformLocation | null => {
      if (!this.at.has(name)) this.at.set(name, gl.getUniformLocation(this.program, name));
      return this.at.get(name)!;
    };
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.uniform2f(set("origin"), view.col + 0.5, view.row + 0.5);
    gl.uniform2f(set("cell"), view.across, view.down);
    gl.uniform2f(set("size"), this.cols, this.rows);
    gl.uniform2f(set("pixels"), this.canvas.width, this.canvas.height);
    gl.uniform1f(set("now"), look.now);
    gl.uniform1f(set("step_"), look.step);
    gl.uniform2f(set("span"), ...this.span);
    gl.uniform1f(set("opacity"), look.opacity);
    gl.uniform3fv(set("line"), look.line);
    gl.uniform1i(set("flags"), (look.lines && times ? 1 : 0) | (look.seen && this.hasSeen ? 2 : 0) | (map ? 4 : 0)
      | (look.cut && times ? 8 : 0) | (times ? 16 : 0) | (look.bare ? 32 : 0));
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }
  /** Waits until all is drawn. */
  finish(): void { this.gl.readPixels(0, 0, 1, 1, this.gl.RGBA, this.gl.UNSIGNED_BYTE, new Uint8Array(4)); }
}
