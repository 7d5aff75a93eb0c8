/** The colours of a drawing, from the darkest to the lightest, and one that stands out. */
export interface Palette {
  readonly deep: string;
  readonly mid: string;
  readonly soft: string;
  readonly pale: string;
  readonly accent: string;
}

/** A drawing area with its colours and its source of numbers. */
export interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly palette: Palette;
  readonly random: RandomSource;
}

/** Draws the content of an SVG document. */
export type Scene = (canvas: Canvas) => string;

/** A source of numbers that is the same for the same seed. */
export interface RandomSource {
  /** From `low` up to `high`. */
  between(low: number, high: number): number;
  /** One of several. */
  of<T>(values: readonly [T, ...T[]]): T;
}

/** A point of a drawing. */
export type Point = readonly [x: number, y: number];

/** Makes a source of numbers from a text (FNV-1a, then mulberry32). */
export function makeRandom(seed: string): RandomSource {
  let state = 2_166_136_261;
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16_777_619);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    between: (low, high) => low + next() * (high - low),
    of: (values) => values[Math.floor(next() * values.length)] ?? values[0],
  };
}

/** A whole SVG document. */
export function drawScene(scene: Scene, seed: string, palette: Palette, width: number, height: number): string {
  const body = scene({ width, height, palette, random: makeRandom(seed) });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${body}</svg>`;
}

/** The numbers from 0 to below `count`. */
export function times<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: Math.max(0, Math.round(count)) }, (_, index) => make(index));
}

/** A number with one decimal. */
export function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Attributes of an element. */
export type Style = Readonly<Record<string, string | number | undefined>>;

/** An element without content. */
export function element(name: string, attributes: Style): string {
  const written = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? '' : ` ${key}="${typeof value === 'number' ? n(value) : value}"`,
  );
  return `<${name}${written.join('')}/>`;
}

/** A rectangle. */
export function rect(x: number, y: number, width: number, height: number, style: Style): string {
  return element('rect', { x, y, width, height, ...style });
}

/** A circle. */
export function circle([cx, cy]: Point, r: number, style: Style): string {
  return element('circle', { cx, cy, r, ...style });
}

/** A path from its data. */
export function path(d: string, style: Style): string {
  return element('path', { d, ...style });
}

/** A straight line through points; closed where `isClosed`. */
export function lineData(points: readonly Point[], isClosed = false): string {
  return `M${points.map(([x, y]) => `${n(x)} ${n(y)}`).join('L')}${isClosed ? 'Z' : ''}`;
}

/** A smooth open curve through points (Catmull-Rom). */
export function curveData(points: readonly Point[]): string {
  const at = (index: number): Point => points[Math.min(Math.max(index, 0), points.length - 1)] ?? [0, 0];
  return `M${pair(at(0))}${times(points.length - 1, (index) => bend(at(index - 1), at(index), at(index + 1), at(index + 2))).join('')}`;
}

/** A smooth closed curve through points. */
export function loopData(points: readonly Point[]): string {
  const at = (index: number): Point => points[(index + points.length) % points.length] ?? [0, 0];
  return `M${pair(at(0))}${times(points.length, (index) => bend(at(index - 1), at(index), at(index + 1), at(index + 2))).join('')}Z`;
}

function bend([ax, ay]: Point, [bx, by]: Point, [cx, cy]: Point, [dx, dy]: Point): string {
  return `C${pair([bx + (cx - ax) / 6, by + (cy - ay) / 6])} ${pair([cx - (dx - bx) / 6, cy - (dy - by) / 6])} ${pair([cx, cy])}`;
}

function pair([x, y]: Point): string {
  return `${n(x)} ${n(y)}`;
}

/** The point at an angle and a distance from another. */
export function polar([x, y]: Point, angle: number, radius: number): Point {
  return [x + Math.cos(angle) * radius, y + Math.sin(angle) * radius];
}

/** Elements with common attributes. */
export function group(elements: readonly string[], style: Style): string {
  const written = Object.entries(style).map(([key, value]) => (value === undefined ? '' : ` ${key}="${value}"`));
  return `<g${written.join('')}>${elements.join('')}</g>`;
}

/** A gradient from top to bottom, to be filled with `url(#id)`. */
export function verticalGradient(id: string, stops: readonly string[]): string {
  const written = stops.map((colour, index) =>
    element('stop', { offset: String(index / Math.max(1, stops.length - 1)), 'stop-color': colour }),
  );
  return `<defs><linearGradient id="${id}" x1="0" y1="0" x2="0" y2="1">${written.join('')}</linearGradient></defs>`;
}

/** A glow that ends at the edge of a circle, to be filled with `url(#id)`. */
export function glow(id: string, colour: string, strength = 1): string {
  const stop = (offset: number, opacity: number) =>
    element('stop', { offset: String(offset), 'stop-color': colour, 'stop-opacity': String(opacity) });
  return `<defs><radialGradient id="${id}">${stop(0, strength)}${stop(0.5, strength * 0.4)}${stop(1, 0)}</radialGradient></defs>`;
}

/** A colour between two, as `#rrggbb`; `share` 0 is the first. */
export function mix(first: string, second: string, share: number): string {
  const channel = (colour: string, at: number) => Number.parseInt(colour.slice(1 + at * 2, 3 + at * 2), 16);
  const mixed = times(3, (at) => Math.round(channel(first, at) * (1 - share) + channel(second, at) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** A smooth curve over 0 … 1 from a few waves, between -1 and 1. */
export function makeWave(random: RandomSource, waves = 4): (at: number) => number {
  const parts = times(waves, (index) => ({
    frequency: (index + 1) * random.between(0.8, 1.3),
    phase: random.between(0, Math.PI * 2),
    size: 1 / (index + 1),
  }));
  const whole = parts.reduce((sum, { size }) => sum + size, 0);
  return (at) =>
    parts.reduce((sum, { frequency, phase, size }) => sum + size * Math.sin(at * frequency * Math.PI * 2 + phase), 0) /
    whole;
}
