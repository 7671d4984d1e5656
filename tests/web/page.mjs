// SPDX-License-Identifier: Apache-2.0
// The page, opened by file:// in Chromium: it solves as the tool does, answers mouse and keys, and gives
// files that the tool reads.
//
//   ZERMELO=build/ci/bin/zermelo node tests/web/page.mjs [PART OF A NAME]
import fs from "node:fs";
import path from "node:path";
import { at, difference, drag, ok, open, readNpy, runAll, shell, test, tool, writeNpy } from "./harness.mjs";

/* ---- what is shown ---- */

const ROWS = 60, COLS = 90;
function wind(kind) {
  const n = ROWS * COLS, g = new kind(3 * n), b = new kind(2 * n);
  for (let r = 0, i = 0; r < ROWS; r++)
    for (let c = 0; c < COLS; c++, i++) {
      const s = (1 + 0.5 * Math.sin(c / 9) * Math.sin(r / 7)) ** 2;
      g[i] = 1.5 * s;
      g[n + i] = 0.2 * s;
      g[2 * n + i] = s;
      b[i] = 0.5 * Math.sqrt(s) * Math.cos(r / 12);
      b[n + i] = 0.3 * Math.sqrt(s) * Math.sin(c / 11);
    }
  return [g, b];
}
for (const [name, kind] of [["64", Float64Array], ["32", Float32Array]]) {
  const [g, b] = wind(kind);
  writeNpy(`g${name}.npy`, g, [3, ROWS, COLS]);
  writeNpy(`b${name}.npy`, b, [2, ROWS, COLS]);
  tool("solve", "--metric", `g${name}.npy`, "--drift", `b${name}.npy`, "--source", "20,30", "--out", `T${name}.npy`, "--quiet");
  tool("view", `T${name}.npy`, "--metric", `g${name}.npy`, "--drift", `b${name}.npy`, "--source", "20,30", "--out", `grid${name}.html`, "--quiet");
}
const HAS_FIRE = fs.existsSync(path.join(path.dirname(process.env.ZERMELO), "zermelo-fire"));
if (HAS_FIRE) {
  tool("fire", "simulate", "--out", "valley", "--fires", "2", "--shape", "80,100", "--seed", "3", "--quiet");
  tool("view", "valley", "--out", "fire.html", "--title", "A valley", "--quiet");
}
const fire = (name, act) => { if (HAS_FIRE) test(name, act); };

const quiet = (p) => ok(p.noted.length === 0, p.noted.join("\n"));
const command = async (p) => {
  await p.page.click('#save [value="command"]');
  return p.page.inputValue("#command");
};
const rasterTimes = (file) => { // a page of a map holds its numbers
  tool("view", "--times", file, "--out", "map.html", "--quiet");
  return open("map.html");
};

/* ---- numbers ---- */

for (const [name, bound] of [["64", 1e-12], ["32", 1e-5]])
  test(`float${name}: T in the page is T of the tool to ${bound}`, async () => {
    const p = await open(`grid${name}.html`), off = difference(await p.times(), readNpy(at(`T${name}.npy`)).values);
    ok(off <= bound, `differs by ${off}`);
    quiet(p);
    await p.close();
  });

test("a sensitivity in the page is the gradient of the tool", async () => {
  const p = await open("grid64.html"), n = ROWS * COLS, seed = new Float64Array(n), cell = 45 * COLS + 70;
  seed[cell] = 1;
  writeNpy("seed.npy", seed, [ROWS, COLS]);
  tool("gradient", "--metric", "g64.npy", "--drift", "b64.npy", "--source", "20,30", "--cotangent", "seed.npy", "--out-metric", "dg.npy",
    "--out-drift", "db.npy", "--quiet");
  const [g, b] = wind(Float64Array), dg = readNpy(at("dg.npy")).values, db = readNpy(at("db.npy")).values, want = new Float64Array(n);
  for (let i = 0; i < n; i++)
    want[i] = 2 * (g[i] * dg[i] + g[n + i] * dg[n + i] + g[2 * n + i] * dg[2 * n + i]) + b[i] * db[i] + b[n + i] * db[n + i];
  const got = await p.page.evaluate((k) => Array.from(window.zermelo.model.sensitivity(k)), cell), off = difference(got, want);
  ok(off < 1e-10, `differs by ${off}`);
  await p.page.mouse.click(...(await p.place([45, 70])));
  await p.page.selectOption("#shown", "sensitivity");
  await p.settle();
  ok(/slower/.test(await p.page.textContent("#legend-name")), "the legend does not say what is shown");
  quiet(p);
  await p.close();
});

/* ---- hands ---- */

test("a source follows the mouse, and the copied command gives the same times", async () => {
  const p = await open("grid64.html");
  await drag(p, [[20, 30], [40, 60]]);
  const line = await command(p);
  ok(/--source 40,60( |$)/.test(line), line);
  shell(line);
  const off = difference(await p.times(), readNpy(at("times.npy")).values);
  ok(off <= 1e-12, `differs by ${off}`);
  quiet(p);
  await p.close();
});

test("painted barriers and wind come with the command", async () => {
  const p = await open("grid64.html");
  await p.page.check('input[value="block"]');
  await drag(p, [[10, 50], [45, 50]]);
  await p.page.check('input[value="blow"]');
  await drag(p, [[50, 20], [50, 80]]);
  const files = [];
  p.page.on("download", (file) => files.push(file.saveAs(at(file.suggestedFilename()))));
  const line = await command(p);
  for (let k = 0; k < 50 && files.length < 2; k++) await p.page.waitForTimeout(20);
  await Promise.all(files);
  ok(files.length === 2 && /--walls walls.npy/.test(line) && /--drift drift.npy/.test(line), line);
  shell(line);
  const off = difference(await p.times(), readNpy(at("times.npy")).values);
  ok(off <= 1e-12, `differs by ${off}`);
  ok((await p.times()).some((t) => t === Infinity), "no barrier was painted");
  quiet(p);
  await p.close();
});

test("starting over gives the times of the beginning", async () => {
  const p = await open("grid64.html"), before = await p.times();
  await p.page.check('input[value="block"]');
  await drag(p, [[10, 50], [45, 50]]);
  await p.page.check('input[value="blow"]');
  await drag(p, [[50, 20], [50, 80]]);
  await p.page.click("#clear");
  await p.settle();
  ok((await p.times()).every((t) => t === Infinity), "without sources something is reached");
  await p.page.click("#reset");
  await p.settle();
  ok(difference(await p.times(), before) === 0, "other times");
  quiet(p);
  await p.close();
});

test("a problem is told in the words of the library, and the next solve is right", async () => {
  const p = await open("grid64.html"), before = await p.times();
  for (let k = 0; k < 3; k++) {
    await p.page.check('input[value="block"]');
    await drag(p, [[18, 28], [22, 32]]);
    ok(/source/.test(await p.page.textContent("#problem")), await p.page.textContent("#problem"));
    await p.page.click("#reset");
    await p.settle();
    ok((await p.page.isHidden("#problem")) && difference(await p.times(), before) === 0, "other times afterwards");
  }
  quiet(p);
  await p.close();
});

test("times far from zero are told apart", async () => {
  tool("view", "--metric", "g64.npy", "--source", "20,30,1763500000", "--out", "late.html", "--quiet");
  const p = await open("late.html"), seen = new Set();
  for (const col of [40, 60, 80]) {
    await p.page.mouse.move(...(await p.place([30, col])));
    await p.settle();
    seen.add(/arrival ([\d.e+]+)/.exec(await p.page.textContent("#readout"))[1]);
  }
  ok(seen.size === 3, [...seen].join(" "));
  const colors = await p.page.evaluate(() => { const z = window.zermelo; z.draw(); const gl = z.picture.gl, px = new Uint8Array(4 * 64), out = new Set();
    for (let k = 1; k < 9; k++) { gl.readPixels((gl.drawingBufferWidth * k) / 9, gl.drawingBufferHeight / 2, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, px); out.add(px.slice(0, 3).join()); }
    return out.size; });
  ok(colors > 4, `${colors} colours`);
  quiet(p);
  await p.close();
});

test("keys and moves in one picture are all drawn; keys of the browser are left alone", async () => {
  const p = await open("grid64.html");
  await p.page.evaluate(() => {
    const key = (name, more) => document.getElementById("map").dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...more }));
    key("Enter");
    key("ArrowDown");
    window.kept = key("s", { ctrlKey: true });
  });
  await p.settle();
  await p.page.focus("#map");
  await p.page.keyboard.press("ArrowRight");
  await p.settle();
  const [row, col] = await p.page.evaluate(() => window.zermelo.cursor);
  ok(new RegExp(`row ${row}, col ${col}`).test(await p.page.textContent("#readout")), await p.page.textContent("#readout"));
  ok((await p.page.evaluate(() => window.kept)) && (await p.page.evaluate(() => window.zermelo.pin)) === null, "Ctrl+S was taken");
  await p.close();
});

test("names with quotes and blanks come back in the command", async () => {
  for (const [from, to] of [["g64.npy", "it's g.npy"], ["b64.npy", "it's a drift.npy"]]) fs.copyFileSync(at(from), at(to));
  tool("view", "--metric", "it's g.npy", "--drift", "it's a drift.npy", "--source", "20,30", "--out", "quoted.html", "--quiet");
  const p = await open("quoted.html");
  await p.page.check('input[value="blow"]');
  const [file] = await Promise.all([p.page.waitForEvent("download"), (async () => { await drag(p, [[50, 20], [50, 80]]); await p.page.click('#save [value="command"]'); })()]);
  await file.saveAs(at("drift.npy"));
  shell(await p.page.inputValue("#command"));
  ok(difference(await p.times(), readNpy(at("times.npy")).values) <= 1e-12, await p.page.inputValue("#command"));
  await p.close();
});

test("a single cell, a row and a map without a number open", async () => {
  for (const [name, shape] of [["one", [1, 1]], ["row", [1, 3000]]]) {
    writeNpy(`${name}.npy`, new Float64Array(shape[0] * shape[1]).fill(1), shape);
    tool("view", "--metric", `${name}.npy`, "--source", "0,0", "--out", `${name}.html`, "--quiet");
    const p = await open(`${name}.html`), before = await p.page.evaluate(() => window.zermelo.view.across);
    await p.page.focus("#map");
    await p.page.keyboard.press("+");
    await p.settle();
    ok((await p.page.evaluate(() => window.zermelo.view.across)) > before, `${name}: no zoom`);
    quiet(p);
    await p.close();
  }
  writeNpy("never.npy", new Float64Array(12).fill(Infinity), [3, 4]);
  tool("view", "--times", "never.npy", "--out", "never.html", "--quiet");
  const p = await open("never.html"), file = await p.take('#save [value="geojson"]');
  ok(JSON.parse(fs.readFileSync(file, "utf8")).features.length === 0, "isochrones of nothing");
  quiet(p);
  await p.close();
});

test("the quickest path leads from the source to the cursor", async () => {
  const p = await open("grid64.html");
  await p.page.mouse.move(...(await p.place([50, 80])));
  await p.settle();
  const way = await p.page.evaluate(() => window.zermelo.path);
  ok(way.length > 20 && Math.hypot(way[0].row - 20, way[0].col - 30) < 0.01, `begins at ${JSON.stringify(way[0])}`);
  ok(Math.hypot(way.at(-1).row - 50, way.at(-1).col - 80) < 0.01, `ends at ${JSON.stringify(way.at(-1))}`);
  ok(way.every((point, k) => k === 0 || point.time > way[k - 1].time), "times do not rise");
  ok(/row 50, col 80 .* arrival/.test(await p.page.textContent("#readout")), await p.page.textContent("#readout"));
  await p.close();
});

test("keys move the cursor, ignite, block, zoom and play", async () => {
  const p = await open("grid64.html");
  await p.page.focus("#map");
  for (let k = 0; k < 5; k++) await p.page.keyboard.press("ArrowDown");
  await p.page.keyboard.press("ArrowRight");
  await p.page.keyboard.press("Enter");
  await p.settle();
  ok(/--source 35,46( |$)/.test(await command(p)), await command(p));
  await p.page.focus("#map");
  await p.page.keyboard.press("ArrowUp");
  await p.page.keyboard.press("b");
  const before = await p.page.evaluate(() => window.zermelo.view.across);
  await p.page.keyboard.press("+");
  await p.settle();
  ok((await p.page.evaluate(() => window.zermelo.view.across)) > before, "no zoom");
  ok(await p.page.evaluate(() => window.zermelo.model.walls?.some((hour) => hour < Infinity)), "no barrier");
  await p.page.keyboard.press("Space");
  await p.page.waitForFunction(() => Number(document.getElementById("time").value) > 0 && Number(document.getElementById("time").value) < window.zermelo.end);
  await p.page.keyboard.press("Space");
  await p.page.focus("#time");
  await p.page.keyboard.press("End");
  ok(await p.page.evaluate(() => window.zermelo.now === window.zermelo.end), "the slider does not go to the end");
  quiet(p);
  await p.close();
});

test("a finger lights, and two that zoom light nothing", async () => {
  const p = await open("grid64.html", { hasTouch: true }), touch = await p.page.context().newCDPSession(p.page), [x, y] = await p.place([30, 45]);
  const send = (type, touchPoints) => touch.send("Input.dispatchTouchEvent", { type, touchPoints });
  await p.page.check('input[value="ignite"]');
  await send("touchStart", [{ x: x - 30, y, id: 0 }]);
  await send("touchStart", [{ x: x - 30, y, id: 0 }, { x: x + 30, y, id: 1 }]);
  await send("touchMove", [{ x: x - 60, y, id: 0 }, { x: x + 60, y, id: 1 }]);
  await send("touchEnd", []);
  await p.settle();
  ok((await p.page.evaluate(() => window.zermelo.model.sources.length)) === 1, "a pinch lit something");
  await p.page.touchscreen.tap(...(await p.place([40, 60])));
  await p.settle();
  ok((await p.page.evaluate(() => window.zermelo.model.sources.length)) === 2, "a tap lit nothing");
  ok(/row 40, col 60/.test(await p.page.textContent("#readout")), await p.page.textContent("#readout"));
  quiet(p);
  await p.close();
});

test("two fingers zoom", async () => {
  const p = await open("grid64.html", { hasTouch: true }), touch = await p.page.context().newCDPSession(p.page);
  const [x, y] = await p.place([30, 45]), before = await p.page.evaluate(() => window.zermelo.view.across);
  const points = (d) => [{ x: x - d, y, id: 0 }, { x: x + d, y, id: 1 }];
  await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points(30) });
  for (const d of [40, 60, 80, 100]) await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: points(d) });
  await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await p.settle();
  ok((await p.page.evaluate(() => window.zermelo.view.across)) > 1.5 * before, "no zoom");
  quiet(p);
  await p.close();
});

test("everything that can be used has a name", async () => {
  const p = await open(HAS_FIRE ? "fire.html" : "grid64.html");
  const nameless = await p.page.evaluate(() => [...document.querySelectorAll("button, input, select, textarea, [tabindex]")].filter((e) =>
    !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.[0]?.textContent.trim())).map((e) => e.outerHTML));
  ok(nameless.length === 0, nameless.join("\n"));
  await p.close();
});

/* ---- what is taken away ---- */

test("NPY, PNG and GeoJSON of a grid", async () => {
  const p = await open("grid64.html");
  const { values, shape } = readNpy(await p.take('#save [value="npy"]'));
  ok(difference(values, await p.times()) === 0 && shape.join() === `${ROWS},${COLS}`, "NPY differs");
  const png = fs.readFileSync(await p.take('#save [value="png"]'));
  ok(png.subarray(1, 4).toString() === "PNG" && png.readUInt32BE(16) > 500 && png.length > 20000, `a PNG of ${png.length} bytes`);
  const { features } = JSON.parse(fs.readFileSync(await p.take('#save [value="geojson"]'), "utf8"));
  ok(features.length > 5, `${features.length} isochrones`);
  const area = (ring) => ring.reduce((sum, [x, y], k) => { const [a, b] = ring[(k + 1) % ring.length]; return sum + (x * b - a * y) / 2; }, 0);
  const times = await p.times();
  for (const { properties, geometry } of features) { // cells burned by then, to the length of the outline
    const cells = times.filter((t) => t <= properties.time).length;
    const size = geometry.coordinates.flat().reduce((sum, ring) => sum + area(ring), 0);
    ok(Math.abs(Math.abs(size) - cells) < 8 + 3 * Math.sqrt(cells), `${size} for ${cells} cells at ${properties.time}`);
  }
  await p.close();
});

fire("GeoTIFF and KML of a fire lie where its landscape lies", async () => {
  const p = await open("fire.html"), times = Float32Array.from(await p.times());
  const tif = await p.take('#save [value="tif"]', "mine.tif"), q = await rasterTimes(tif);
  ok(difference(await q.times(), times) === 0, "GeoTIFF differs");
  const places = await Promise.all([p, q].map(({ page }) => page.evaluate(() => JSON.stringify([window.zermelo.facts.place.transform, window.zermelo.facts.place.epsg]))));
  ok(places[0] === places[1], places.join(" against "));
  const kml = fs.readFileSync(await p.take('#save [value="kml"]'), "utf8");
  const [lon, lat] = /<coordinates>([-\d.]+),([-\d.]+)/.exec(kml).slice(1).map(Number);
  const globe = await p.page.evaluate(() => window.zermelo.facts.place.lonlat);
  ok(lon > Math.min(...globe.lon) && lon < Math.max(...globe.lon) && lat > Math.min(...globe.lat) && lat < Math.max(...globe.lat), `${lon}, ${lat}`);
  await q.close();
  await p.close();
});

fire("KML of a fire whose date and clock are known has spans of time", async () => {
  fs.cpSync(at("valley"), at("dated"), { recursive: true });
  const [head, ...rows] = fs.readFileSync(at("dated/fires.csv"), "utf8").trim().split("\n");
  const columns = head.split(","), put = (line, name, value) => { const cells = line.split(","), k = columns.indexOf(name); if (k < 0) cells.push(value); else cells[k] = value; return cells.join(","); };
  const both = (line, year, ahead) => put(put(line, "start_year", year), "clock_ahead_h", ahead);
  fs.writeFileSync(at("dated/fires.csv"), [both(head, "start_year", "clock_ahead_h"), ...rows.map((line) => both(line, "2021", "-6"))].join("\n") + "\n");
  tool("view", "dated", "--out", "dated.html", "--quiet");
  const p = await open("dated.html"), start = await p.page.evaluate(() => window.zermelo.fires.fire.start), kml = fs.readFileSync(await p.take('#save [value="kml"]'), "utf8");
  const [hours, begin] = /<name>([\d.]+) h<\/name><TimeSpan><begin>([^<]+)/.exec(kml).slice(1);
  const want = Date.UTC(2021, start[0] - 1, start[1]) + (start[2] + 6 + Number(hours)) * 3.6e6;
  ok(Math.abs(Date.parse(begin) - want) < 6e4, `${begin}, not ${new Date(want).toISOString()}`);
  await p.close();
});

/* ---- fires ---- */

fire("a fire burns as the tool has it, and the copied command repeats what a reader did", async () => {
  const p = await open("fire.html");
  for (const act of [async () => {}, async () => {
    await p.page.click("#clear");
    await p.page.check('input[value="ignite"]');
    const cell = await p.page.evaluate(() => { // something that burns
      const z = window.zermelo, fuel = z.model.layers.fuel, k = [...fuel.keys()].find((i) => fuel[i] > 100 && fuel[i] < 110 && i > 30 * z.cols && i % z.cols > 20);
      return [Math.floor(k / z.cols), k % z.cols];
    });
    await p.page.mouse.click(...(await p.place(cell)));
    await p.settle();
  }, async () => { // another one, later
    const [row, col] = await p.page.evaluate(() => {
      const z = window.zermelo, mask = z.model.land.burnable(), s = z.model.sources[0];
      const k = mask.findIndex((burns, i) => burns && Math.hypot(Math.floor(i / z.cols) - s.row, (i % z.cols) - s.col) > 25);
      return [Math.floor(k / z.cols), k % z.cols];
    });
    await p.page.fill("#from", "1.5");
    await p.page.mouse.click(...(await p.place([row, col])));
    await p.settle();
    ok((await p.page.evaluate(() => window.zermelo.model.sources.length)) === 2, "one fire only");
  }, async () => {
    await p.page.focus("#speed");
    for (let k = 0; k < 6; k++) await p.page.keyboard.press("ArrowRight");
    await p.page.focus("#turn");
    for (let k = 0; k < 9; k++) await p.page.keyboard.press("ArrowRight");
    await p.settle();
  }]) {
    await act();
    fs.rmSync(at("times"), { recursive: true, force: true });
    const files = [];
    const catching = (file) => files.push(file.saveAs(at(file.suggestedFilename())));
    p.page.on("download", catching);
    const line = await command(p);
    await p.page.waitForTimeout(300);
    await Promise.all(files);
    p.page.off("download", catching);
    shell(`${line} --quiet`);
    const [name] = fs.readdirSync(at("times")).filter((file) => file.endsWith(".tif")), q = await rasterTimes(at(`times/${name}`));
    const want = await q.times(), got = await p.times(), burned = (T) => T.filter((t) => t < Infinity).length;
    ok(burned(got) > 50 && burned(got) === burned(want), `${burned(got)} cells, the tool ${burned(want)}: ${line}`);
    ok(difference(got, want) < 1e-5, `differs by ${difference(got, want)}: ${line}`);
    await q.close();
  }
  quiet(p);
  await p.close();
});

fire("what cannot burn is not lit, and the page says why", async () => {
  const p = await open("fire.html"), [row, col] = await p.page.evaluate(() => { const z = window.zermelo, k = z.model.land.burnable().indexOf(0); return [Math.floor(k / z.cols), k % z.cols]; });
  await p.page.check('input[value="ignite"]');
  await p.page.mouse.click(...(await p.place([row, col])));
  ok(/cannot burn/.test(await p.page.textContent("#problem")), await p.page.textContent("#problem"));
  quiet(p);
  await p.close();
});

fire("the front of markers burns as the tool has it", async () => {
  tool("view", "valley", "--front", "markers", "--out", "markers.html", "--quiet");
  const p = await open("markers.html"), given = await p.page.evaluate(async () => {
    const { model, facts } = window.zermelo, now = Array.from(model.times), k = facts.fire.fires[0].times;
    return [now, Array.from(await window.zermelo.field(k))].map((T) => T.map((t) => (t === Infinity ? 1e308 : t)));
  });
  const end = await p.page.evaluate(() => window.zermelo.facts.fire.fires[0].hours), [now, then] = given.map((T) => T.filter((t) => t <= end).length);
  ok(now === then && now > 20, `${now} cells, given ${then}`);
  quiet(p);
  await p.close();
});

fire("chances are those of the tool's ensemble, over workers", async () => {
  const p = await open("fire.html"), name = await p.page.evaluate(() => window.zermelo.fires.fire.name);
  await p.page.evaluate(() => { window.zermelo.facts.fire.ensemble.members = 12; });
  await p.page.click("#chances");
  await p.page.waitForFunction(() => window.zermelo.chances !== null);
  const hours = await p.page.evaluate(() => window.zermelo.fires.fire.hours);
  tool("fire", "ensemble", "--scene", "valley", "--fire", name, "--members", "12", "--out", "chances", "--t-max", String(hours), "--quiet");
  tool("view", "--map", "chances/probability.tif", "--out", "map.html", "--quiet");
  const q = await open("map.html");
  const want = await q.page.evaluate(async () => { await window.zermelo.choose(); return Array.from(window.zermelo.map); });
  const got = await p.page.evaluate(() => Array.from(window.zermelo.chances));
  ok(difference(got.map((x, i) => (Number.isFinite(want[i]) ? x : NaN)), want) < 1e-6, "chances differ");
  quiet(p);
  await q.close();
  await p.close();
});

fire("a barrier from an hour on holds what comes later", async () => {
  const p = await open("fire.html"), times = await p.times(), end = Math.max(...times.filter((t) => t < Infinity));
  const cell = await p.page.evaluate(() => { const z = window.zermelo, s = z.model.sources[0]; return [s.row, s.col]; });
  await p.page.fill("#from", String(end / 2));
  await p.page.check('input[value="block"]');
  const ring = Array.from({ length: 41 }, (_, k) => [cell[0] + 8 * Math.sin((k * Math.PI) / 20), cell[1] + 8 * Math.cos((k * Math.PI) / 20)]);
  await drag(p, ring);
  const after = await p.times();
  ok(after.some((t, i) => t === Infinity && times[i] < Infinity) && after.some((t) => t < Infinity), "the barrier holds nothing");
  ok(after.every((t, i) => !(t < Infinity) || times[i] <= t + 1e-6), "some cell burns earlier");
  const [file] = await Promise.all([p.page.waitForEvent("download"), p.page.click('#save [value="command"]')]);
  await file.saveAs(at(file.suggestedFilename()));
  fs.rmSync(at("times"), { recursive: true, force: true });
  shell(`${await p.page.inputValue("#command")} --quiet`);
  const q = await rasterTimes(at(`times/${fs.readdirSync(at("times")).find((name) => name.endsWith(".tif"))}`)), want = await q.times();
  ok(difference(after, want) < 1e-5, `differs from the tool by ${difference(after, want)}`);
  await q.close();
  quiet(p);
  await p.close();
});

/* ---- edges ---- */

test("hostile titles and names are text", async () => {
  const evil = `</title><script>window.hacked=1</script><img src=x onerror="window.hacked=1">'"&\u2028`;
  writeNpy(`-<b onclick=hacked>.npy`, readNpy(at("T64.npy")).values, [ROWS, COLS]);
  tool("view", "--times", `./-<b onclick=hacked>.npy`, "--title", evil, "--out", "evil.html", "--quiet");
  const p = await open("evil.html");
  ok((await p.page.evaluate(() => window.hacked)) === undefined, "a script ran");
  ok((await p.page.textContent("#title")) === evil && (await p.page.title()).startsWith("</title>"), await p.page.textContent("#title"));
  ok(/^[A-Za-z0-9-]+\.npy$/.test(path.basename(await p.take('#save [value="npy"]'))), "the name of the file");
  quiet(p);
  await p.close();
});

test("a map of 4000 x 4000 opens, thinned, with its own numbers", async () => {
  const n = 4000, T = new Float32Array(n * n);
  for (let r = 0, i = 0; r < n; r++) for (let c = 0; c < n; c++, i++) T[i] = Math.round(Math.hypot(r - 1000, c - 3000));
  writeNpy("large.npy", T, [n, n]);
  tool("view", "--times", "large.npy", "--out", "large.html", "--quiet");
  const p = await open("large.html");
  ok((await p.page.textContent("#problem")) === "", await p.page.textContent("#problem"));
  ok((await p.page.evaluate(() => window.zermelo.picture.thinning)) === 2, "is not thinned");
  await p.page.mouse.move(...(await p.place([2000, 2001])));
  await p.settle();
  const [, row, col, time] = /row (\d+), col (\d+).*arrival ([\d.]+)/.exec(await p.page.textContent("#readout")).map(Number);
  ok(Math.abs(time - Math.hypot(row - 1000, col - 3000)) < 1, await p.page.textContent("#readout"));
  await p.page.check("#every");
  await p.settle();
  ok((await p.page.evaluate(() => window.zermelo.picture.thinning)) === 1, "every cell is not shown");
  quiet(p);
  await p.close();
});

test("a damaged page says so", async () => {
  const text = fs.readFileSync(at("grid64.html"), "utf8");
  fs.writeFileSync(at("damaged.html"), text.replace(/(id="data-0">.{100}).{200}/, "$1"));
  const p = await open("damaged.html");
  ok(!(await p.page.isHidden("#problem")), "nothing is said");
  await p.close();
});

test("a page without data has at most 250 kB, of fires 400 kB", async () => {
  const size = (name) => fs.readFileSync(at(name), "utf8").replace(/id="data-\d+">[^<]*/g, "").length;
  ok(size("grid64.html") <= 250_000, `${size("grid64.html")} bytes`);
  if (HAS_FIRE) ok(size("fire.html") <= 400_000, `${size("fire.html")} bytes`);
});

test("light and dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const p = await open("grid64.html", { colorScheme }), back = () => p.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const first = await back();
    await p.page.click("#theme");
    ok(first !== (await back()) && (await p.page.evaluate(() => document.documentElement.dataset.theme)) !== colorScheme, "no change");
    quiet(p);
    await p.close();
  }
});

await runAll();
