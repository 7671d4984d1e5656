/* SPDX-License-Identifier: Apache-2.0
 * What is drawn above the map: sources, barriers, wind, path, cursor, scale and north. */
import type { Facts } from "./data";
import type { PathPoint } from "./engine";
import type { View } from "./draw";
import type { Model } from "./model";
import { niceStep, shown } from "./colors";

export interface Marks {
  model: Model; facts: Facts; cursor: [number, number] | null; pin: [number, number] | null;
  path: PathPoint[]; dark: boolean;
}

export function drawMarks(canvas: HTMLCanvasElement, view: View, m: Marks): void {
  const pen = canvas.getContext("2d")!, ratio = window.devicePixelRatio;
  const x = (col: number): number => (col - view.col) * view.across, y = (row: number): number => (row - view.row) * view.down;
  const front = m.dark ? "#fff" : "#000", back = m.dark ? "#000" : "#fff";
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, canvas.width, canvas.height);
  if (m.model.walls) {
    pen.fillStyle = m.dark ? "#c9d3da" : "#1d2b36";
    m.model.walls.forEach((hour, cell) => {
      if (hour === Infinity) return;
      const row = Math.floor(cell / m.model.cols), col = cell % m.model.cols;
      pen.fillRect(x(col - 0.5), y(row - 0.5), Math.max(view.across, 1), Math.max(view.down, 1));
    });
  }
  const line = (points: [number, number][], width: number, style: string): void => {
    pen.beginPath();
    points.forEach(([a, b], k) => (k ? pen.lineTo(a, b) : pen.moveTo(a, b)));
    pen.lineWidth = width * ratio;
    pen.strokeStyle = style;
    pen.stroke();
  };
  const way = m.path.map((p): [number, number] => [x(p.col), y(p.row)]);
  line(way, 4, back);
  line(way, 2, front);
  const disc = (at: [number, number], radius: number, fill: string): void => {
    pen.beginPath();
    pen.arc(x(at[1]), y(at[0]), radius * ratio, 0, 7);
    pen.fillStyle = fill;
    pen.fill();
    pen.lineWidth = 1.5 * ratio;
    pen.strokeStyle = back;
    pen.stroke();
  };
  const many = m.model.sources.length > 40;
  m.model.sources.forEach((s) => disc([s.row, s.col], many ? 2 : 6, "#d80d05"));
  if (m.pin) disc(m.pin, 5, "#0d59f2");
  if (m.cursor) {
    const [cx, cy] = [x(m.cursor[1]), y(m.cursor[0])], r = 8 * ratio;
    for (const [width, style] of [[3, back], [1, front]] as const) {
      line([[cx - r, cy], [cx + r, cy]], width, style);
      line([[cx, cy - r], [cx, cy + r]], width, style);
    }
  }
  scale(pen, canvas, view, m, ratio, front, back);
}

/** A length in the lower right corner, and where north is. */
function scale(pen: CanvasRenderingContext2D, canvas: HTMLCanvasElement, view: View, m: Marks, ratio: number, front: string,
  back: string): void {
  const unit = m.facts.units.length, per = view.across / m.facts.spacing[1], length = niceStep((140 * ratio) / per, 1.6);
  const right = canvas.width - 16 * ratio, bottom = canvas.height - 16 * ratio;
  const name = unit || (m.facts.spacing[1] === 1 ? "cells" : "units");
  const text = unit === "m" && length >= 1000 ? `${shown(length / 1000)} km` : shown(length, name);
  pen.font = `${12 * ratio}px system-ui, "DejaVu Sans", sans-serif`;
  pen.textAlign = "right";
  for (const [width, style] of [[4, back], [1.5, front]] as const) {
    pen.lineWidth = width * ratio;
    pen.strokeStyle = style;
    pen.strokeRect(right - length * per, bottom, length * per, 0.1);
    if (style === back) pen.strokeText(text, right, bottom - 6 * ratio);
  }
  pen.fillStyle = front;
  pen.fillText(text, right, bottom - 6 * ratio);
  const north = m.facts.place?.north;
  if (north === undefined) return;
  pen.save();
  pen.translate(right - 10 * ratio, bottom - 46 * ratio);
  pen.rotate((north * Math.PI) / 180);
  pen.beginPath();
  for (const [a, b] of [[0, -18], [7, 10], [0, 5], [-7, 10]] as const) pen.lineTo(a * ratio, b * ratio);
  pen.closePath();
  pen.lineWidth = 2 * ratio;
  pen.strokeStyle = back;
  pen.stroke();
  pen.fill();
  pen.restore();
}
