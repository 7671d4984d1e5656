// SPDX-License-Identifier: Apache-2.0
// The page of zermelo view against native code, in one run: WebAssembly in Chromium beside the native kernels.
//
//   ZERMELO=build/release/bin/zermelo node bench/bench_page.mjs [ROUNDS]
//
// Times are the best of many, wall clock: the native ones of bench/solve_repeat.c with AVX2, the page's by
// performance.now() about the call.  One page after the other, in turns with the tool, so that a busy machine hurts both.
import { at, open, runAll, test, tool, writeNpy } from "../tests/web/harness.mjs";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const ROUNDS = Number(process.argv[2] ?? 15), ROWS = 400, COLS = 600, n = ROWS * COLS;
process.argv.length = 2;

const NATIVE = path.join(path.dirname(process.env.ZERMELO), "../bench/solve_repeat");
const json = (...words) => JSON.parse(tool(...words, "--json", "-", "--quiet"));
const row = (...cells) => console.log(`| ${cells.join(" | ")} |`);
const ms = (x) => x.toFixed(1);

for (const [name, kind] of [["float32", Float32Array], ["float64", Float64Array]])
  test(`grid ${name}`, async () => {
    const g = new kind(3 * n), b = new kind(2 * n);
    for (let r = 0, i = 0; r < ROWS; r++)
      for (let c = 0; c < COLS; c++, i++) {
        const s = (1 + 0.5 * Math.sin(c / 60) * Math.sin(r / 45)) ** 2;
        [g[i], g[n + i], g[2 * n + i]] = [1.5 * s, 0.2 * s, s];
        [b[i], b[n + i]] = [0.5 * Math.sqrt(s) * Math.cos(r / 80), 0.3 * Math.sqrt(s) * Math.sin(c / 70)];
      }
    writeNpy("g.npy", g, [3, ROWS, COLS]);
    writeNpy("b.npy", b, [2, ROWS, COLS]);
    const problem = ["--metric", "g.npy", "--drift", "b.npy", "--source", "200,150"];
    tool("view", ...problem, "--out", "page.html", "--quiet");
    const p = await open("page.html"), best = { solve: Infinity, gradient: Infinity, frame: Infinity, native: Infinity, back: Infinity };
    for (let round = 0; round < ROUNDS; round++) {
      const got = await p.page.evaluate(() => {
        const z = window.zermelo, weights = z.model.times.slice().fill(1), clock = (act) => { const a = performance.now(); act(); return performance.now() - a; };
        const out = { solve: Infinity, gradient: Infinity, frame: Infinity };
        for (let k = 0; k < 4; k++) {
          const solve = clock(() => { z.model.solve(); }), gradient = clock(() => z.model.ground.adjoint(weights));
          const draw = clock(() => { z.newTimes(); z.draw(); z.picture.finish(); });
          out.solve = Math.min(out.solve, solve);
          out.gradient = Math.min(out.gradient, gradient);
          out.frame = Math.min(out.frame, solve + gradient + draw);
        }
        return out;
      });
      for (const key of Object.keys(got)) best[key] = Math.min(best[key], got[key]);
      const native = JSON.parse(execFileSync(NATIVE, [at("g.npy"), at("b.npy"), "200", "150", "avx2", "4"], { encoding: "utf8" }));
      best.native = Math.min(best.native, native.solve);
      best.back = Math.min(best.back, native.adjoint);
    }
    row(`${name}, ${ROWS} x ${COLS}`, ms(best.solve), ms(best.native), (best.solve / best.native).toFixed(2), ms(best.gradient), ms(best.back),
      (best.gradient / best.back).toFixed(2), ms(best.frame));
    await p.close();
  });

test("fire", async () => {
  tool("fire", "simulate", "--out", "valley", "--fires", "6", "--shape", "400,400", "--seed", "5", "--quiet");
  tool("view", "valley", "--out", "fire.html", "--quiet");
  const p = await open("fire.html");
  console.log("\n| fire | cells | hours | page ms | tool ms, processor time | ratio |\n|---|---|---|---|---|---|");
  const fires = await p.page.evaluate(() => window.zermelo.facts.fire.fires.map((f) => [f.name, f.hours]));
  for (const [k, [name, hours]] of fires.entries()) {
    let page = Infinity, own = Infinity, cells = 0;
    await p.page.evaluate((number) => window.zermelo.fires.choose(number), k);
    for (let round = 0; round < Math.ceil(ROUNDS / 3); round++) {
      const [time, burned] = await p.page.evaluate(() => {
        const z = window.zermelo, times = [];
        for (let i = 0; i < 3; i++) { const a = performance.now(); z.model.solve(); times.push(performance.now() - a); }
        return [Math.min(...times), z.model.times.filter((t) => t < Infinity).length];
      });
      page = Math.min(page, time);
      cells = burned;
      fs.rmSync(at("out"), { recursive: true, force: true });
      own = Math.min(own, 1000 * json("fire", "physics", "--scene", "valley", "--fire", name, "--out", "out").seconds_per_fire);
    }
    row(name, cells, hours, ms(page), ms(own), (page / own).toFixed(2));
  }
  await p.close();
});

console.log("| problem | solve, page ms | AVX2 ms | ratio | gradient, page ms | AVX2 ms | ratio | solve, gradient and picture, ms |\n|---|---|---|---|---|---|---|---|");
await runAll();
