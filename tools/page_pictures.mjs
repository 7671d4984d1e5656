// SPDX-License-Identifier: Apache-2.0
// Pictures of pages for README and docs: node tools/page_pictures.mjs FOLDER (ZERMELO: the tool).  Called by
// tools/figures.
import path from "node:path";
import { drag, open, runAll, test, tool, writeNpy } from "../tests/web/harness.mjs";

const folder = path.resolve(process.argv[2]);
process.argv.length = 2;
const SIZE = { viewport: { width: 1000, height: 660 }, colorScheme: "light" };

test("a windy plain", async () => {
  const rows = 300, cols = 420, n = rows * cols, g = new Float32Array(3 * n), b = new Float32Array(2 * n);
  for (let r = 0, i = 0; r < rows; r++)
    for (let c = 0; c < cols; c++, i++) {
      const s = (1 + 0.45 * Math.sin(c / 38) * Math.sin(r / 31)) ** 2;
      [g[i], g[n + i], g[2 * n + i]] = [1.4 * s, 0.2 * s, s];
      [b[i], b[n + i]] = [0.5 * Math.sqrt(s) * Math.cos(r / 55), 0.35 * Math.sqrt(s) * Math.sin(c / 48)];
    }
  writeNpy("metric.npy", g, [3, rows, cols]);
  writeNpy("drift.npy", b, [2, rows, cols]);
  tool("view", "--metric", "metric.npy", "--drift", "drift.npy", "--source", "90,110", "--title", "A windy plain", "--out", "page.html", "--quiet");
  const p = await open("page.html", SIZE);
  await p.page.check('input[value="block"]');
  await drag(p, [[40, 240], [150, 225], [210, 260]]);
  await p.page.check('input[value="move"]');
  await p.page.mouse.move(...(await p.place([170, 345])));
  await p.settle();
  await p.page.screenshot({ path: path.join(folder, "page-grid.png") });
  await p.close();
});

test("a fire", async () => {
  tool("fire", "simulate", "--out", "valley", "--fires", "2", "--shape", "150,190", "--seed", "11", "--quiet");
  tool("view", "valley", "--out", "fire.html", "--title", "A fire in a valley", "--quiet");
  const p = await open("fire.html", SIZE);
  await p.page.evaluate(() => { document.getElementById("time").value = 0.6 * window.zermelo.end; document.getElementById("cut").checked = true; window.zermelo.draw(); });
  const [row, col] = await p.page.evaluate(() => { const T = window.zermelo.model.times, end = 0.5 * window.zermelo.end; let k = T.indexOf(0); for (let i = 0; i < T.length; i++) if (T[i] < end && T[i] > T[k]) k = i; return [Math.floor(k / window.zermelo.cols), k % window.zermelo.cols]; });
  await p.page.mouse.move(...(await p.place([row, col])));
  await p.settle();
  await p.page.screenshot({ path: path.join(folder, "page-fire.png") });
  await p.close();
});

await runAll();
