#version 300 es
// SPDX-License-Identifier: Apache-2.0
// A map is interpolated between the middles of cells, and taken as it is beside cells without a number.
precision highp float;
precision highp sampler2D;
uniform sampler2D ground, times, shown, seen, table;
uniform vec2 origin, cell, size, pixels;
uniform float now, step_, low, high, opacity;
uniform int flags;
uniform vec3 line;
out vec4 color;
float number(sampler2D of, vec2 p) {
  vec2 q = clamp(p * (vec2(textureSize(of, 0)) / size) - .5, vec2(0), vec2(textureSize(of, 0)) - 1.);
  ivec2 a = ivec2(q), b = min(a + 1, textureSize(of, 0) - 1);
  vec2 u = fract(q);
  float v00 = texelFetch(of, a, 0).r, v01 = texelFetch(of, ivec2(b.x, a.y), 0).r;
  float v10 = texelFetch(of, ivec2(a.x, b.y), 0).r, v11 = texelFetch(of, b, 0).r;
  if (max(max(v00, v01), max(v10, v11)) > 1e38)
    return texelFetch(of, ivec2(q + .5), 0).r;
  return mix(mix(v00, v01, u.x), mix(v10, v11, u.x), u.y);
}
bool reached(sampler2D of, vec2 p, float level) {
  vec2 q = clamp(p * (vec2(textureSize(of, 0)) / size), vec2(0), vec2(textureSize(of, 0)) - 1.);
  return texelFetch(of, ivec2(q), 0).r <= level;
}
// How much of a line of this width, in pixels, where the map has this level: by the slope of the map, and
// along cells beyond which there is no number by what the pixels around have reached.
float near(sampler2D of, vec2 p, float level, float width, bool edge) {
  vec2 x = vec2(1. / cell.x, 0), y = vec2(0, 1. / cell.y);
  float v = number(of, p), r = number(of, p + x), d = number(of, p + y);
  if (max(max(v, max(r, d)), max(number(of, p - x), number(of, p - y))) > 1e38) {
    if (!edge) return 0.;
    bool here = reached(of, p, level);
    vec2 a = x * max(width * .6, .5), b = y * max(width * .6, .5);
    return here != reached(of, p + a, level) || here != reached(of, p - a, level)
      || here != reached(of, p + b, level) || here != reached(of, p - b, level) ? 1. : 0.;
  }
  float slope = max(length(vec2(r - v, d - v)), 1e-30);
  return 1. - smoothstep(width * .5, width * .5 + 1., abs(v - level) / slope);
}
void main() {
  vec2 p = origin + vec2(gl_FragCoord.x, pixels.y - gl_FragCoord.y) / cell;
  if (any(lessThan(p, vec2(0))) || any(greaterThan(p, size))) { color = vec4(0); return; }
  vec3 rgb = texture(ground, p / size).rgb;
  float t = number(times, p), v = (flags & 4) != 0 ? number(shown, p) : t;
  bool passed = (flags & 8) == 0 || t <= now;
  if (v < 1e38 && v > -1e38 && passed && ((flags & 32) == 0 || v > 0.))
    rgb = mix(rgb, texture(table, vec2((clamp((v - low) / (high - low), 0., 1.) * 255. + .5) / 256., .5)).rgb, opacity);
  if ((flags & 1) != 0 && t < 1e38 && passed)
    rgb = mix(rgb, line, .55 * near(times, p, floor(t / step_ + .5) * step_, .8, false));
  if ((flags & 2) != 0) rgb = mix(rgb, vec3(.05, .35, .95), near(seen, p, now, 2., true));
  if ((flags & 16) != 0) rgb = mix(rgb, vec3(.85, .05, .02), near(times, p, now, 2., true));
  color = vec4(rgb, 1);
}
