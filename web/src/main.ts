/* SPDX-License-Identifier: Apache-2.0
 * Where the page begins; in a worker, a part of an ensemble. */
import { inflate, readFacts } from "./data";
import { Engine } from "./engine";
import { serve } from "./ensemble";
import { controls, keys, pointer } from "./hands";
import { openModel } from "./model";
import { $, Page } from "./page";

async function main(): Promise<void> {
  const script = document.currentScript?.textContent ?? "", root = document.documentElement.dataset;
  root["theme"] = window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  try {
    const facts = readFacts(), module = await WebAssembly.compile(await inflate("wasm")), engine = await Engine.make(module);
    const page = new Page(facts, engine, module, await openModel(facts, engine));
    await page.start();
    controls(page, script);
    pointer(page);
    keys(page);
    Object.assign(window, { zermelo: page }); // for those who look behind it
    root["ready"] = "1";
  } catch (error) {
    $("problem").hidden = false;
    $("problem").textContent = error instanceof Error ? error.message : String(error);
  }
}

if (typeof document === "undefined") serve();
else void main();
