/* SPDX-License-Identifier: Apache-2.0
 * Many fires in weather that is not known for sure, in workers: this file runs on both sides. */
import type { FireFacts, Numbers } from "./data";
import { Engine, Land, type Burning } from "./engine";

interface Order {
  module: WebAssembly.Module; shape: [number, number]; facts: FireFacts; layers: Record<string, Numbers>;
  burning: Burning; barrier: Float64Array<ArrayBuffer> | null; spread: Record<string, number>; first: number; n: number;
}
export interface Run { done: Promise<Float32Array<ArrayBuffer> | null>; stop: () => void } // null: stopped

const PIECE = 2; // members between two reports

/** In a worker: burns the members that it is asked for and reports after every few. */
export function serve(): void {
  self.onmessage = (event: MessageEvent<Order>): void => {
    const o = event.data;
    void (async (): Promise<void> => {
      const land = new Land(await Engine.make(o.module), o.shape, o.facts, o.layers);
      land.setModel(o.facts.physics);
      land.setBarrier(o.barrier);
      for (let k = 0; k < o.n; k += PIECE) {
        const n = Math.min(PIECE, o.n - k);
        self.postMessage({ n, reached: land.members(o.burning, o.spread, o.first + k, n) });
      }
    })().catch((error: unknown) => self.postMessage({ error: String(error) }));
  };
}

/** Share of the members that reach each cell, over two to four workers. */
export function run(order: Omit<Order, "first" | "n">, script: string, progress: (share: number) => void): Run {
  const members = order.spread["members"]!, cells = order.shape[0] * order.shape[1];
  const count = Math.min(Math.max(navigator.hardwareConcurrency - 1, 2), 4, members);
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const workers = Array.from({ length: count }, () => new Worker(url)), total = new Uint32Array(cells);
  let stop = (): void => { /* not yet */ };
  const done = new Promise<Float32Array<ArrayBuffer> | null>((resolve, reject) => {
    let finished = 0;
    stop = (): void => resolve(null);
    workers.forEach((worker, k) => {
      worker.onerror = (event): void => reject(new Error(event.message));
      worker.onmessage = (event: MessageEvent<{ n: number; reached: Uint32Array; error?: string }>): void => {
        const { n, reached, error } = event.data;
        if (error) { reject(new Error(error)); return; }
        for (let i = 0; i < cells; i++) total[i]! += reached[i]!;
        finished += n;
        progress(finished / members);
        if (finished === members) resolve(Float32Array.from(total, (of) => of / members));
      };
      const first = Math.floor((k * members) / count), end = Math.floor(((k + 1) * members) / count);
      worker.postMessage({ ...order, first, n: end - first });
    });
  }).finally(() => {
    workers.forEach((worker) => worker.terminate());
    URL.revokeObjectURL(url);
  });
  return { done, stop };
}
