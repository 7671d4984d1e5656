/* SPDX-License-Identifier: Apache-2.0
 * What the reader does: pointer, keys, controls, and what is taken away. */
import { $, input, type Page } from "./page";
import { run } from "./ensemble";
import { download, fileStem, geojson, geotiff, kml, npy, outlines, type Outline } from "./save";

type Place = [number, number];
const PLAY_SECONDS = 8, PICK_PIXELS = 12, TAP_PIXELS = 4, MOST_LEVELS = 40;
const toolNow = (): string => document.querySelector<HTMLInputElement>('input[name="tool"]:checked')!.value;
const fromHour = (): number => Number(input("from").value) || 0;

function ignite(page: Page, at: Place): void {
  const [row, col] = page.cell(at), sources = page.model.sources, why = page.model.refuses(row * page.cols + col, fromHour());
  if (!page.inside(at) || sources.some((s) => s.row === row && s.col === col)) return;
  if (why) {
    page.tell(why);
    return;
  }
  sources.push({ row, col, time: fromHour() });
  page.change();
}

/** Cells under the brush along a stroke. */
function stroke(page: Page, a: Place, b: Place): number[] {
  const radius = Number(input("brush").value) / 2, cells = new Set<number>();
  const steps = Math.ceil(2 * Math.hypot(b[0] - a[0], b[1] - a[1])) + 1;
  for (let s = 0; s <= steps; s++) {
    const row = a[0] + ((b[0] - a[0]) * s) / steps, col = a[1] + ((b[1] - a[1]) * s) / steps;
    for (let r = Math.max(Math.ceil(row - radius), 0); r <= Math.min(row + radius, page.rows - 1); r++)
      for (let c = Math.max(Math.ceil(col - radius), 0); c <= Math.min(col + radius, page.cols - 1); c++)
        if ((r - row) ** 2 + (c - col) ** 2 <= radius * radius) cells.add(r * page.cols + c);
  }
  return [...cells];
}

function apply(page: Page, tool: string, a: Place, b: Place): void {
  const n = Math.ceil(Math.max(Math.abs(b[0] - a[0]), Math.abs(b[1] - a[1]), 1));
  if (tool === "ignite") {
    for (let k = 0; k <= n; k++) ignite(page, [a[0] + ((b[0] - a[0]) * k) / n, a[1] + ((b[1] - a[1]) * k) / n]);
    return;
  }
  if (tool !== "blow") page.model.block(stroke(page, a, b), tool === "block" ? fromHour() : Infinity);
  else if (a[0] !== b[0] || a[1] !== b[1]) page.model.blow(stroke(page, a, b), [b[1] - a[1], b[0] - a[0]], Number(input("strength").value));
  page.change();
}

export function pointer(page: Page): void {
  const map = $("map"), fingers = new Map<number, Place>();
  let last: Place | null = null, dragged = -1, moved = 0, waiting = false; // a finger may be the first of two
  const nearest = ([row, col]: Place): number => page.model.sources.findIndex((s) =>
    Math.hypot((s.row - row) * page.view.down, (s.col - col) * page.view.across) < PICK_PIXELS * window.devicePixelRatio);
  map.addEventListener("pointerdown", (e) => {
    if (e.button !== 0) return;
    map.setPointerCapture(e.pointerId);
    fingers.set(e.pointerId, [e.clientX, e.clientY]);
    last = page.cellAt(e.clientX, e.clientY);
    moved = 0;
    dragged = toolNow() === "move" && page.model.canSolve ? nearest(last) : -1;
    waiting = e.pointerType === "touch" && fingers.size === 1;
    if (toolNow() !== "move" && page.inside(last) && e.pointerType !== "touch") apply(page, toolNow(), last, last);
  });
  map.addEventListener("pointermove", (e) => {
    const at = page.cellAt(e.clientX, e.clientY), old = fingers.get(e.pointerId);
    if (!old || !last) { page.moveCursor(at); return; }
    moved += Math.hypot(e.clientX - old[0], e.clientY - old[1]);
    const other = [...fingers].find(([id]) => id !== e.pointerId)?.[1];
    fingers.set(e.pointerId, [e.clientX, e.clientY]);
    if (other) { // two fingers: zoom about the middle between them
      const span = (p: Place): number => Math.hypot(p[0] - other[0], p[1] - other[1]);
      page.zoom(span([e.clientX, e.clientY]) / Math.max(span(old), 1), page.cellAt((e.clientX + other[0]) / 2, (e.clientY + other[1]) / 2));
      last = page.cellAt(e.clientX, e.clientY);
    } else if (dragged >= 0) {
      [page.model.sources[dragged]!.row, page.model.sources[dragged]!.col] = page.cell(at);
      page.change();
    } else if (toolNow() === "move") page.pan(last[0] - at[0], last[1] - at[1]);
    else if (!waiting || moved > TAP_PIXELS) {
      waiting = false;
      apply(page, toolNow(), last, at);
      last = at;
    }
  });
  const up = (e: PointerEvent): void => {
    fingers.delete(e.pointerId);
    const tap = moved < TAP_PIXELS && dragged < 0 && fingers.size === 0 && last && page.inside(last) ? last : null;
    if (tap && toolNow() === "move") page.setPin(tap);
    else if (tap && waiting) apply(page, toolNow(), tap, tap);
    if (tap && e.pointerType === "touch") page.moveCursor(tap);
    if (!fingers.size) last = null;
  };
  map.addEventListener("pointerup", up);
  map.addEventListener("pointercancel", up);
  map.addEventListener("pointerleave", (e) => { if (e.pointerType !== "touch") page.moveCursor(null); });
  map.addEventListener("wheel", (e) => {
    e.preventDefault();
    page.zoom(Math.exp(-e.deltaY / 400), page.cellAt(e.clientX, e.clientY));
  }, { passive: false });
  new ResizeObserver(() => page.fit()).observe(map);
}

export function keys(page: Page): void {
  const arrows: Record<string, Place> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  $("map").addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return; // the browser's own
    const at = page.cursor ?? page.cell([page.rows / 2, page.cols / 2]), arrow = arrows[e.key], solves = page.model.canSolve;
    if (arrow && e.shiftKey) page.pan((40 * arrow[0]) / page.view.down, (40 * arrow[1]) / page.view.across);
    else if (arrow) page.moveCursor(page.cell([Math.round(at[0]) + arrow[0], Math.round(at[1]) + arrow[1]]));
    else if (e.key === "+" || e.key === "=") page.zoom(1.25, at);
    else if (e.key === "-") page.zoom(0.8, at);
    else if (e.key === "0") page.fit();
    else if (e.key === "Enter" && solves) ignite(page, at);
    else if (e.key.toLowerCase() === "b" && solves) apply(page, "block", at, at);
    else if (e.key.toLowerCase() === "s") page.setPin(at);
    else if (e.key === " ") $("play").click();
    else return;
    e.preventDefault();
  });
}

/** From the time shown, or from the beginning where that is the end, to the end. */
function player(page: Page): () => void {
  let frame = 0;
  return () => {
    const time = input("time"), stop = frame !== 0;
    cancelAnimationFrame(frame);
    frame = 0;
    $("play").textContent = stop ? "▶" : "❚❚";
    if (stop) return;
    const first = page.now < page.end ? page.now : page.begin;
    let zero = 0;
    const cut = input("cut").checked;
    input("cut").checked = true;
    const step = (ms: number): void => {
      zero ||= ms;
      const now = first + ((ms - zero) / 1000 / PLAY_SECONDS) * (page.end - page.begin);
      time.value = String(Math.min(now, page.end));
      frame = now < page.end ? requestAnimationFrame(step) : 0;
      if (!frame) {
        $("play").textContent = "▶";
        input("cut").checked = cut;
      }
      page.draw();
    };
    frame = requestAnimationFrame(step);
  };
}

/** Runs the ensemble, or stops the one that runs. */
function chances(page: Page, script: string): () => Promise<void> {
  return async () => {
    const fires = page.fires, bar = $("progress") as HTMLProgressElement, label = $("chances").textContent;
    if (page.running) { page.running.stop(); return; }
    if (!fires?.sources.length) return;
    bar.hidden = false;
    bar.value = 0;
    $("chances").textContent = "Stop";
    try {
      const running = run({ module: page.module, shape: page.facts.shape, facts: page.facts.fire!, layers: fires.layers,
        burning: fires.burning(), barrier: fires.walls, spread: page.facts.fire!.ensemble ?? {} }, script, (share) => (bar.value = share));
      page.running = running;
      const reached = await running.done;
      if (reached) {
        page.chances = reached;
        page.listMaps("chances");
        await page.choose();
      }
    } catch (error) { page.tell(error); }
    page.running = null;
    bar.hidden = true;
    $("chances").textContent = label;
  };
}

export function controls(page: Page, script: string): void {
  const on = (id: string, what: string, act: () => unknown): void =>
    $(id).addEventListener(what, () => { Promise.resolve().then(act).catch((error: unknown) => page.tell(error)); });
  for (const id of ["lines", "seen", "cut", "opacity", "colors", "way", "time"]) on(id, "input", () => page.draw());
  on("shown", "change", () => page.choose());
  on("ground", "change", () => page.chooseGround());
  on("fire", "change", () => page.chooseFire());
  on("play", "click", player(page));
  on("chances", "click", chances(page, script));
  on("clear", "click", () => { page.model.sources = []; page.change(); });
  on("reset", "click", () => { page.model.reset(); page.showWeather(); page.change(); });
  on("every", "change", () => {
    page.picture.everyCell = input("every").checked;
    page.newTimes();
    void page.chooseGround();
    void page.choose();
  });
  for (const id of ["speed", "turn", "moisture"] as const) on(id, "input", () => {
    page.model.weather[id] = Number(input(id).value);
    page.showWeather();
    page.change();
  });
  on("theme", "click", () => {
    const root = document.documentElement.dataset;
    root["theme"] = root["theme"] === "dark" ? "light" : "dark";
    return page.chooseGround();
  });
  document.querySelectorAll<HTMLButtonElement>("#save button").forEach((b) => b.addEventListener("click", () => save(page, b.value)));
}

function save(page: Page, what: string): void {
  const { facts, engine, step, begin, end, model: { times } } = page, stem = fileStem(facts.title);
  const reached = times.some((t) => t < Infinity), rings = (): Outline[] => outlines(engine, facts, times, !reached ? [] :
    Array.from({ length: MOST_LEVELS }, (_, k) => (Math.floor(begin / step) + 1 + k) * step).filter((t) => t < end).concat(end));
  const give: Record<string, () => void> = {
    npy: () => download(`${stem}.npy`, npy(times, facts.shape)),
    tif: () => download(`${stem}.tif`, geotiff(times, facts)),
    geojson: () => download(`${stem}.geojson`, geojson(rings(), facts)),
    kml: () => download(`${stem}.kml`, kml(rings(), facts, page.fires?.fire.begin)),
    png: () => photograph(page, `${stem}.png`),
    command: () => copyCommand(page),
  };
  give[what]!();
}

function photograph(page: Page, name: string): void {
  const whole = document.createElement("canvas"), pen = whole.getContext("2d")!, { width, height } = page.picture.canvas;
  Object.assign(whole, { width, height });
  pen.fillStyle = getComputedStyle(document.body).backgroundColor;
  pen.fillRect(0, 0, width, height);
  page.draw();
  for (const id of ["picture", "marks"]) pen.drawImage($(id) as HTMLCanvasElement, 0, 0);
  whole.toBlob((blob) => { if (blob) download(name, blob); });
}

/** Shows and copies the command, and gives the files that it reads. */
function copyCommand(page: Page): void {
  const { text, files } = page.model.command(), box = $("command") as HTMLTextAreaElement;
  for (const [name, bytes] of files) download(name, bytes);
  box.hidden = false;
  box.value = text;
  box.select();
  navigator.clipboard.writeText(text).catch(() => { /* it is shown, and marked */ });
}
