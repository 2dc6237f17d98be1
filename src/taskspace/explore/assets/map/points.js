// Points in WebGL, fast enough to drag a map of 50,000 points smoothly. Positions, sizes and
// colours are in the memory of the graphics card; moving the map changes two numbers, and new
// colours take four bytes per point.

export const FEWER = 4; // every fourth point is drawn if all would take too long
const ATTRIBUTES = { position: 2, size: 1, colour: 4, shape: 1 }; // values per point

const VERTEX = `#version 300 es
in vec2 position;
in float size;
in vec4 colour;
in float shape;
uniform vec2 middle; // of the visible range, in the view's coordinates
uniform vec2 scale; // from there to the clip space
uniform float ratio; // device pixels per page pixel
flat out vec4 fill;
flat out int kind;
flat out float radius;
flat out float room;

void main() {
  gl_Position = vec4((position - middle) * scale, 0.0, 1.0);
  radius = 0.5 * size * ratio;
  kind = int(shape);
  room = 2.0 * radius * (kind == 0 ? 1.0 : 1.6) + 2.0; // corners reach beyond the circle
  gl_PointSize = room;
  fill = colour;
}`;

// The distance to the edge of each shape, in pixels, below zero inside; areas are equal.
const FRAGMENT = `#version 300 es
precision highp float;
flat in vec4 fill;
flat in int kind;
flat in float radius;
flat in float room;
uniform float edge; // its width: there the colour is darker
out vec4 result;

float plus(vec2 at) {
  vec2 outside = at - vec2(1.145, 0.42) * radius;
  vec2 other = at - vec2(0.42, 1.145) * radius;
  return min(max(outside.x, outside.y), max(other.x, other.y));
}

float triangle(vec2 at) {
  return max(0.866 * abs(at.x) + 0.5 * at.y, -at.y) - 0.778 * radius;
}

float distanceTo(vec2 at) { // y points up
  vec2 away = abs(at);
  if (kind == 0) return length(at) - radius;
  if (kind == 1) return max(away.x, away.y) - 0.886 * radius;
  if (kind == 2) return triangle(at);
  if (kind == 3) return 0.7071 * (away.x + away.y) - 0.886 * radius;
  if (kind == 4) return triangle(vec2(at.x, -at.y));
  if (kind == 5) return plus(away);
  return plus(abs(0.7071 * vec2(at.x + at.y, at.x - at.y)));
}

void main() {
  vec2 at = (gl_PointCoord - 0.5) * vec2(room, -room);
  float away = distanceTo(at);
  float inked = fill.a * clamp(0.5 - away, 0.0, 1.0);
  float atEdge = edge > 0.0 ? clamp(away + edge + 0.5, 0.0, 1.0) : 0.0;
  result = vec4(fill.rgb * (1.0 - 0.3 * atEdge) * inked, inked);
}`;

// Points on a canvas, or null if the browser cannot draw them by WebGL 2.
export function glPoints(canvas) {
  const gl = canvas.getContext("webgl2", { antialias: false, premultipliedAlpha: true });
  try {
    return gl && new GlPoints(canvas, gl);
  } catch (error) {
    console.warn(error); // the driver does not support it
    return null;
  }
}

class GlPoints {
  constructor(canvas, gl) {
    Object.assign(this, { canvas, gl, sent: {}, order: new Uint32Array(0) });
    this.begin();
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => this.begin());
  }

  // Also called after the graphics card has lost its memory.
  begin() {
    const { gl } = this;
    this.program = programOf(gl);
    gl.useProgram(this.program);
    const names = ["middle", "scale", "ratio", "edge"];
    this.uniforms = Object.fromEntries(
      names.map((name) => [name, gl.getUniformLocation(this.program, name)]),
    );
    this.buffers = Object.fromEntries(
      [...Object.keys(ATTRIBUTES), "order"].map((name) => [name, gl.createBuffer()]),
    );
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    for (const [name, values] of Object.entries(this.sent)) this.send(name, values);
    this.setOrder(this.order);
  }

  // Set an attribute of all points: floats or bytes; colours are divided by 255.
  send(name, values) {
    const { gl } = this;
    this.sent[name] = values;
    const at = gl.getAttribLocation(this.program, name);
    const bytes = values instanceof Uint8Array;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[name]);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(at);
    const type = bytes ? gl.UNSIGNED_BYTE : gl.FLOAT;
    gl.vertexAttribPointer(at, ATTRIBUTES[name], type, name === "colour", 0, 0);
  }

  // The points in drawing order, the last on top; every fourth of them follows again at the end.
  setOrder(order) {
    const { gl } = this;
    this.order = order;
    this.some = order.filter((_, index) => index % FEWER === 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.buffers.order);
    gl.bufferData(
      gl.ELEMENT_ARRAY_BUFFER,
      order.byteLength + this.some.byteLength,
      gl.DYNAMIC_DRAW,
    );
    gl.bufferSubData(gl.ELEMENT_ARRAY_BUFFER, 0, order);
    gl.bufferSubData(gl.ELEMENT_ARRAY_BUFFER, order.byteLength, this.some);
  }

  // Draw all points, or `fewer`, in a window of this size and range.
  draw({ width, height, ratio, range: [left, right, bottom, top], edge, fewer }) {
    const { gl, uniforms } = this;
    gl.viewport(0, 0, width * ratio, height * ratio);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(uniforms.middle, (left + right) / 2, (bottom + top) / 2);
    gl.uniform2f(uniforms.scale, 2 / (right - left), 2 / (top - bottom));
    gl.uniform1f(uniforms.ratio, ratio);
    gl.uniform1f(uniforms.edge, edge * ratio);
    const [count, start] = fewer
      ? [this.some.length, this.order.byteLength]
      : [this.order.length, 0];
    gl.drawElements(gl.POINTS, count, gl.UNSIGNED_INT, start);
  }
}

function programOf(gl) {
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  const fine = gl.getProgramParameter(program, gl.LINK_STATUS) || gl.isContextLost();
  if (!fine) throw new Error(gl.getProgramInfoLog(program) || "the shaders do not compile");
  return program;
}
