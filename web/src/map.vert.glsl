#version 300 es
// SPDX-License-Identifier: Apache-2.0
// One triangle over all of the picture.
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3. : -1., gl_VertexID == 2 ? 3. : -1., 0., 1.); }
