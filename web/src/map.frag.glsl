#version 300 es
// SPDX-License-Identifier: Apache-2.0
// A map is interpolated between the middles of cells, and taken as it is beside cells without a number.
precision highp float;
precision highp sampler2D;
uniform sampler2D ground, times, shown, seen, table;
uniform vec2 origin, cell, size, span, pixels; // size of the grid, and of what the texels cover
uniform float now, step_, opacity;
uniform int flags;
uniform vec3 line;
out vec4 color;
float number(sampler2D of, vec2 p) {
  float v = texture(of, p / span).r;
  return v < 1e30 ? v : texelFetch(of, ivec2(clamp(p / span, 0., .999999) * vec2(textureSize(of, 0))), 0).r;
}
bool reached(sampler2D of, vec2 p, float level) {
  return texelFetch(of, ivec2(clamp(p / span, 0., .999999) * vec2(textureSize(of, 0))), 0).r <= level;
}
// How much of a line of this width, in pixels, where a map v has this level, by its slope.
float along(float v, float slope, float level, float width) {
  return 1. - smoothstep(width * .5, width * .5 + 1., abs(v - level) / max(slope, 1e-30));
}
// The same of the outline of what is reached: beside cells without a number it goes along their sides.
float outline(sampler2D of, vec2 p, float v, float slope, float level) {
  if (slope < 1e30 && v < 1e38) return along(v, slope, level, 2.);
  bool here = reached(of, p, level);
  vec2 a = vec2(1.2 / cell.x, 0), b = vec2(0, 1.2 / cell.y);
  return here != reached(of, p + a, level) || here != reached(of, p - a, level)
    || here != reached(of, p + b, level) || here != reached(of, p - b, level) ? 1. : 0.;
}
void main() {
  vec2 p = origin + vec2(gl_FragCoord.x, pixels.y - gl_FragCoord.y) / cell;
  float t = number(times, p), o = (flags & 2) != 0 ? number(seen, p) : 0.;
  float slope = length(vec2(dFdx(t), dFdy(t))), slope_seen = length(vec2(dFdx(o), dFdy(o)));
  if (any(lessThan(p, vec2(0))) || any(greaterThan(p, size))) { color = vec4(0); return; }
  float v = (flags & 4) != 0 ? number(shown, p) : t;
  vec3 rgb = texture(ground, p / span).rgb;
  bool passed = (flags & 8) == 0 || t <= now;
  if (v < 1e38 && v > -1e38 && passed && ((flags & 32) == 0 || v > 0.))
    rgb = mix(rgb, texture(table, vec2((clamp(v, 0., 1.) * 255. + .5) / 256., .5)).rgb, opacity);
  if ((flags & 1) != 0 && t < 1e38 && slope < 1e30 && passed)
    rgb = mix(rgb, line, .55 * along(t, slope, floor(t / step_ + .5) * step_, .8));
  if ((flags & 2) != 0) rgb = mix(rgb, vec3(.05, .35, .95), outline(seen, p, o, slope_seen, now));
  if ((flags & 16) != 0) rgb = mix(rgb, vec3(.85, .05, .02), outline(times, p, t, slope, now));
  color = vec4(rgb, 1);
}
