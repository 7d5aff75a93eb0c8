import { type Html, html } from './html.ts';

// The default picture of an agent, generated from its handle, which never changes: mirrored tiles with shapes in two
// colours.

/** The number of palettes in the stylesheet. */
const palettes = 10;

const tileSize = 10;

/** The shapes of a tile, each with its mirror image: quarter discs, triangles, half discs, a disc. */
const shapes: readonly (readonly [shape: string, mirrored: string])[] = [
  ['h10a10 10 0 0 1-10 10z', 'h10v10a10 10 0 0 1-10-10z'],
  ['h10v10a10 10 0 0 1-10-10z', 'h10a10 10 0 0 1-10 10z'],
  ['m10 0v10h-10a10 10 0 0 1 10-10z', 'v10h10a10 10 0 0 0-10-10z'],
  ['v10h10a10 10 0 0 0-10-10z', 'm10 0v10h-10a10 10 0 0 1 10-10z'],
  ['h10l-10 10z', 'h10v10z'],
  ['m10 0v10h-10z', 'v10h10z'],
  ['h10a5 5 0 0 1-10 0z', 'h10a5 5 0 0 1-10 0z'],
  ['m0 10h10a5 5 0 0 0-10 0z', 'm0 10h10a5 5 0 0 0-10 0z'],
  ['m2 5a3 3 0 0 1 6 0a3 3 0 0 1-6 0z', 'm2 5a3 3 0 0 1 6 0a3 3 0 0 1-6 0z'],
];

/** The emblem of an agent, of four by four tiles; the stylesheet colours it. */
export function renderEmblem(handle: string): Html {
  const draw = drawFrom(handle);
  const palette = draw(palettes);
  const paths: [string, string] = ['', ''];
  for (let row = 0; row < 4; row += 1) {
    for (let column = 0; column < 2; column += 1) {
      const [shape, mirrored] = shapes[draw(shapes.length)] ?? ['', ''];
      const colour = draw(2) as 0 | 1;
      const [y, left, right] = [row * tileSize, column * tileSize, (3 - column) * tileSize];
      paths[colour] += `M${left} ${y}${shape}M${right} ${y}${mirrored}`;
    }
  }
  return html`<svg class="emblem p${palette}" viewBox="0 0 40 40" width="48" height="48" aria-hidden="true"><path d="${paths[0]}"/><path class="b" d="${paths[1]}"/></svg>`;
}

/** A band of tiles with this many columns and rows, in the palette of the agent's emblem. */
export function renderEmblemBand(handle: string, columns: number, rows: number): Html {
  const draw = drawFrom(handle);
  const palette = draw(palettes);
  const paths: [string, string] = ['', ''];
  for (let at = 0; at < columns * rows; at += 1) {
    const shape = shapes[draw(shapes.length)]?.[0] ?? '';
    const kind = draw(5);
    // One tile in five is empty.
    if (kind === 4) continue;
    paths[(kind % 2) as 0 | 1] += `M${(at % columns) * tileSize} ${Math.floor(at / columns) * tileSize}${shape}`;
  }
  const [width, height] = [columns * tileSize, rows * tileSize];
  return html`<svg class="band p${palette}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" preserveAspectRatio="xMinYMin slice" aria-hidden="true"><path d="${paths[0]}"/><path class="b" d="${paths[1]}"/></svg>`;
}

/** Returns a generator of pseudo-random integers below a bound, the same for the same text (FNV-1a, mulberry32). */
function drawFrom(text: string): (bound: number) => number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}
