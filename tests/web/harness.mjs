// SPDX-License-Identifier: Apache-2.0
// What the tests of the page share: the tool, arrays, a browser, and a count at the end.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { chromium } from "../../web/node_modules/playwright-core/index.mjs";

export const work = fs.mkdtempSync(path.join(os.tmpdir(), "zermelo-page-"));
export const at = (name) => path.join(work, name);

/** Runs the tool in the working folder; what it printed. */
export const tool = (...words) =>
  execFileSync(process.env.ZERMELO, words, { cwd: work, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
/** The same with a command line as the page copies it. */
export const shell = (line) =>
  execFileSync("bash", ["-c", line.replace(/^zermelo /, `'${process.env.ZERMELO}' `)],
    { cwd: work, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/* ---- arrays ---- */

const KINDS = { "<f8": Float64Array, "<f4": Float32Array, "|u1": Uint8Array, "<i2": Int16Array };

export function writeNpy(name, values, shape) {
  const kind = Object.keys(KINDS).find((k) => values instanceof KINDS[k]);
  let head = `{'descr': '${kind}', 'fortran_order': False, 'shape': (${shape.join(", ")},), }`;
  head += " ".repeat(63 - ((head.length + 10) % 64)) + "\n";
  fs.writeFileSync(at(name), Buffer.concat([Buffer.from([0x93, 78, 85, 77, 80, 89, 1, 0, head.length & 255, head.length >> 8]),
    Buffer.from(head, "latin1"), Buffer.from(values.buffer)]));
}

export function readNpy(file) {
  const bytes = fs.readFileSync(file), length = bytes.readUInt16LE(8), head = bytes.toString("latin1", 10, 10 + length);
  const Kind = KINDS[/'descr': '([^']+)'/.exec(head)[1]], data = bytes.subarray(10 + length);
  return { shape: /'shape': \(([^)]*)\)/.exec(head)[1].split(",").filter((s) => s.trim()).map(Number),
    values: new Kind(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength)) };
}

/** Largest difference relative to the largest number; Infinity where one has a number and the other none. */
export function difference(a, b) {
  let worst = 0, scale = 0;
  if (a.length !== b.length) return Infinity;
  for (let i = 0; i < a.length; i++) {
    if (Number.isFinite(a[i]) !== Number.isFinite(b[i])) return Infinity;
    if (!Number.isFinite(a[i])) continue;
    worst = Math.max(worst, Math.abs(a[i] - b[i]));
    scale = Math.max(scale, Math.abs(b[i]));
  }
  return worst / (scale || 1);
}

/* ---- the browser ---- */

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"] });

/** A page opened as a file, in a window of 1100 x 750.  Errors and requests of any kind are noted. */
export async function open(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 750 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const noted = [];
  page.on("pageerror", (error) => noted.push(`error: ${error.message}`));
  page.on("console", (message) => { if (["error", "warning"].includes(message.type()) && !/GPU stall|GL Driver/.test(message.text())) noted.push(`console: ${message.text()}`); });
  page.on("request", (request) => { if (request.url() !== `file://${at(name)}` && !/^(blob|data):/.test(request.url())) noted.push(`request: ${request.url()}`); });
  page.on("dialog", (dialog) => { noted.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  await page.goto(`file://${at(name)}`);
  await page.waitForFunction(() => document.documentElement.dataset.ready || !document.getElementById("problem").hidden);
  return { page, noted, close: () => context.close(),
    /** Arrival times as the page has them. */
    times: async () => Float64Array.from(await page.evaluate(() => Array.from(window.zermelo.model.times, (t) => (t === Infinity ? 1e308 : t))),
      (t) => (t === 1e308 ? Infinity : t)),
    /** The place of a cell in the window. */
    place: ([row, col]) => page.evaluate(([r, c]) => {
      const { view } = window.zermelo, box = document.getElementById("map").getBoundingClientRect();
      return [box.left + (c - view.col) * view.across, box.top + (r - view.row) * view.down];
    }, [row, col]),
    /** Clicks a button that gives a file; where it is. */
    take: async (selector, name) => {
      const [file] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
      await file.saveAs(at(name ?? file.suggestedFilename()));
      return at(name ?? file.suggestedFilename());
    },
    /** Until nothing is asked for any more. */
    settle: () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))) };
}

/** Presses the mouse at the first cell, moves along the others, and lets go. */
export async function drag(p, cells) {
  const [first, ...rest] = cells;
  await p.page.mouse.move(...(await p.place(first)));
  await p.page.mouse.down();
  for (const cell of rest) await p.page.mouse.move(...(await p.place(cell)), { steps: 4 });
  await p.page.mouse.up();
  await p.settle();
}

/* ---- tests ---- */

const tests = [];
export const test = (name, act) => tests.push([name, act]);
export function ok(condition, what) { if (!condition) throw new Error(what); }

export async function runAll() {
  let passed = 0;
  const only = process.argv[2];
  for (const [name, act] of tests.filter(([name]) => !only || name.includes(only))) {
    try {
      await act();
      passed++;
      console.log(`ok    ${name}`);
    } catch (error) { console.log(`FAIL  ${name}\n      ${error.stack}`); }
  }
  const count = only ? tests.filter(([name]) => name.includes(only)).length : tests.length;
  console.log(`\n${passed} passed, ${count - passed} failed, 0 skipped`);
  await browser.close();
  fs.rmSync(work, { recursive: true, force: true });
  process.exit(passed === count ? 0 : 1);
}
