import {
  type Canvas,
  circle,
  element,
  glow,
  lineData,
  makeWave,
  mix,
  n,
  type Palette,
  type Point,
  path,
  polar,
  rect,
  times,
} from './svg.ts';

/** Interlaced stars of eight points, as on a tiled wall. */
export function starTiles({ width, height, palette }: Canvas): string {
  const { deep, mid, soft, pale, accent } = palette;
  const size = Math.min(width, height) / 4;
  const [columns, rows] = [Math.ceil(width / size) + 1, Math.ceil(height / size) + 1];
  const tiles = times(columns * rows, (index) => {
    const at: Point = [(index % columns) * size, Math.floor(index / columns) * size];
    const isOdd = ((index % columns) + Math.floor(index / columns)) % 2 === 1;
    const corners: Point = [at[0] + size / 2, at[1] + size / 2];
    const star = (centre: Point, radius: number, inner: number, points = 8) =>
      lineData(
        times(points * 2, (step) =>
          polar(centre, (step / (points * 2)) * Math.PI * 2, step % 2 === 0 ? radius : inner),
        ),
        true,
      );
    const edge = { stroke: pale, 'stroke-width': size * 0.022, 'stroke-linejoin': 'round' };
    return [
      path(star(at, size * 0.5, size * 0.383), { fill: isOdd ? mid : deep, ...edge }),
      path(star(at, size * 0.33, size * 0.18), { fill: isOdd ? accent : soft, ...edge }),
      path(star(at, size * 0.14, size * 0.107), { fill: pale }),
      path(star(corners, size * 0.235, size * 0.125, 4), { fill: mix(accent, deep, 0.15), ...edge }),
      path(star(corners, size * 0.1, size * 0.05, 4), { fill: pale }),
    ].join('');
  });
  return `${rect(0, 0, width, height, { fill: mix(deep, mid, 0.45) })}${tiles.join('')}`;
}

/** A woven cloth: strips that cross over and under, in a rhythm of colours. */
export function weave({ width, height, palette, random }: Canvas): string {
  const { deep, mid, soft, pale, accent } = palette;
  const cell = Math.min(width, height) / 18;
  const [columns, rows] = [Math.ceil(width / cell), Math.ceil(height / cell)];
  const rhythm = (count: number) => {
    const band = times(5, () => random.of([deep, mid, soft, pale, accent]));
    return times(count, (index) => band[Math.abs((index % 8) - 4)] ?? mid);
  };
  const [warp, weft] = [rhythm(columns), rhythm(rows)];
  const gap = cell * 0.05;
  const cells = times(columns * rows, (index) => {
    const [column, row] = [index % columns, Math.floor(index / columns)];
    const isOver = (column + row) % 3 !== 0;
    const colour = (isOver ? warp[column] : weft[row]) ?? mid;
    const [x, y] = [column * cell, row * cell];
    const strip = isOver
      ? [x + gap, y - gap, cell - 2 * gap, cell + 2 * gap]
      : [x - gap, y + gap, cell + 2 * gap, cell - 2 * gap];
    const [sx = 0, sy = 0, sw = 0, sh = 0] = strip;
    const shade = isOver
      ? rect(sx, sy, sw * 0.22, sh, { fill: '#ffffff', opacity: '0.14' })
      : rect(sx, sy + sh * 0.78, sw, sh * 0.22, { fill: '#000000', opacity: '0.16' });
    return `${rect(sx, sy, sw, sh, { fill: colour, rx: cell * 0.12 })}${shade}`;
  });
  return `${rect(0, 0, width, height, { fill: mix(deep, '#000000', 0.35) })}${cells.join('')}`;
}

/** Tiles of circles and quarters, in the manner of a poster of the 1920s. */
export function tiles({ width, height, palette, random }: Canvas): string {
  const { deep, mid, soft, pale, accent } = palette;
  const size = Math.min(width, height) / 5;
  const [columns, rows] = [Math.ceil(width / size), Math.ceil(height / size)];
  const drawn = times(columns * rows, (index) => {
    const [x, y] = [(index % columns) * size, Math.floor(index / columns) * size];
    const [ground, figure, third] = shuffled([deep, mid, soft, pale, accent], random.between(0, 1));
    const turn = `rotate(${random.of([0, 90, 180, 270])} ${n(x + size / 2)} ${n(y + size / 2)})`;
    const shape = random.of([quarter, half, rings, leaf, dots, diagonal]);
    return `${rect(x, y, size + 1, size + 1, { fill: ground })}<g transform="${turn}">${shape(x, y, size, figure, third)}</g>`;
  });
  return drawn.join('');
}

type Colours = readonly [string, string, string];

function shuffled(colours: readonly string[], at: number): Colours {
  const start = Math.floor(at * colours.length);
  const pick = (step: number) => colours[(start + step) % colours.length] ?? '#000000';
  return [pick(0), pick(2), pick(3)];
}

type Tile = (x: number, y: number, size: number, figure: string, third: string) => string;

const quarter: Tile = (x, y, s, figure, third) =>
  `${path(`M${n(x)} ${n(y)}H${n(x + s)}A${n(s)} ${n(s)} 0 0 1 ${n(x)} ${n(y + s)}Z`, { fill: figure })}${path(`M${n(x)} ${n(y)}H${n(x + s / 2)}A${n(s / 2)} ${n(s / 2)} 0 0 1 ${n(x)} ${n(y + s / 2)}Z`, { fill: third })}`;
const half: Tile = (x, y, s, figure, third) =>
  `${path(`M${n(x)} ${n(y + s / 2)}A${n(s / 2)} ${n(s / 2)} 0 0 1 ${n(x + s)} ${n(y + s / 2)}Z`, { fill: figure })}${path(`M${n(x)} ${n(y + s)}A${n(s / 2)} ${n(s / 2)} 0 0 1 ${n(x + s)} ${n(y + s)}Z`, { fill: third })}`;
const rings: Tile = (x, y, s, figure, third) =>
  [0.44, 0.3, 0.16]
    .map((r, index) => circle([x + s / 2, y + s / 2], s * r, { fill: index === 1 ? third : figure }))
    .join('');
const leaf: Tile = (x, y, s, figure) =>
  path(`M${n(x)} ${n(y)}A${n(s)} ${n(s)} 0 0 1 ${n(x + s)} ${n(y + s)}A${n(s)} ${n(s)} 0 0 1 ${n(x)} ${n(y)}Z`, {
    fill: figure,
  });
const dots: Tile = (x, y, s, figure, third) =>
  times(9, (index) =>
    circle([x + s * (0.2 + 0.3 * (index % 3)), y + s * (0.2 + 0.3 * Math.floor(index / 3))], s * 0.09, {
      fill: index === 4 ? third : figure,
    }),
  ).join('');
const diagonal: Tile = (x, y, s, figure, third) =>
  `${path(
    lineData(
      [
        [x, y],
        [x + s, y],
        [x, y + s],
      ],
      true,
    ),
    { fill: figure },
  )}${circle([x + s * 0.68, y + s * 0.68], s * 0.16, { fill: third })}`;

/** Seeds in the order of a sunflower. */
export function seeds({ width, height, palette, random }: Canvas): string {
  const { deep, mid, soft, pale, accent } = palette;
  const centre: Point = [width / 2, height / 2];
  const count = 420;
  const reach = Math.min(width, height) * 0.46;
  const wave = makeWave(random, 3);
  const drawn = times(count, (index) => {
    const share = (index + 1) / count;
    const at = polar(centre, index * 2.399963, reach * Math.sqrt(share));
    const colour = share < 0.35 ? mix(accent, pale, share * 2) : mix(pale, soft, (share - 0.35) * 1.5);
    const size = reach * (0.012 + 0.026 * share) * (1 + 0.35 * wave(share * 2));
    return circle(at, size, { fill: colour });
  });
  return `${glow('core', mid, 0.9)}${rect(0, 0, width, height, { fill: deep })}${circle(centre, reach * 1.5, { fill: 'url(#core)' })}${drawn.join('')}`;
}

/** Petals in several wreaths that overlap. */
export function petals({ width, height, palette, random }: Canvas): string {
  const { deep, mid, soft, pale, accent } = palette;
  const centre: Point = [width / 2, height / 2];
  const reach = Math.min(width, height) * 0.47;
  const count = random.of([6, 7, 8, 9, 10, 12, 14]);
  const plump = (8 / count) * random.between(0.85, 1.35);
  const [outer, second, third, last] = turned([mid, soft, accent, pale], Math.floor(random.between(0, 4)));
  const wreaths = [
    { share: 1, colour: outer, wide: 0.34 * plump },
    { share: random.between(0.74, 0.86), colour: second, wide: 0.3 * plump },
    { share: random.between(0.52, 0.66), colour: third, wide: 0.26 * plump },
    { share: 0.36, colour: last, wide: 0.2 * plump },
  ];
  const drawn = wreaths.flatMap(({ share, colour, wide }, ring) =>
    times(count, (index) => {
      const angle = ((index + (ring % 2) / 2) / count) * 360;
      const [l, w] = [reach * share, reach * share * wide];
      const d = `M0 0C${n(w)} ${n(-l * 0.35)} ${n(w * 0.8)} ${n(-l * 0.85)} 0 ${n(-l)}C${n(-w * 0.8)} ${n(-l * 0.85)} ${n(-w)} ${n(-l * 0.35)} 0 0Z`;
      return path(d, {
        fill: colour,
        'fill-opacity': '0.82',
        stroke: deep,
        'stroke-opacity': '0.25',
        'stroke-width': reach * 0.006,
        transform: `translate(${n(centre[0])} ${n(centre[1])}) rotate(${n(angle)})`,
      });
    }),
  );
  return `${rect(0, 0, width, height, { fill: mix(deep, mid, 0.12) })}${drawn.join('')}${circle(centre, reach * 0.1, { fill: deep })}${circle(centre, reach * 0.05, { fill: accent })}`;
}

/** The same colours, beginning with another. */
function turned(colours: readonly [string, string, string, string], by: number): typeof colours {
  const at = (index: number) => colours[(index + by) % 4] ?? colours[0];
  return [at(0), at(1), at(2), at(3)];
}

/** A crystal of triangles, lit from above. */
export function facets({ width, height, palette, random }: Canvas): string {
  const { deep, pale } = palette;
  const centre: Point = [width / 2, height / 2];
  const reach = Math.min(width, height) * 0.42;
  const sides = 9;
  const outer = times(sides, (i) => polar(centre, (i / sides) * Math.PI * 2 - 0.3, reach * random.between(0.86, 1.05)));
  const inner = times(sides, (i) =>
    polar(centre, ((i + 0.5) / sides) * Math.PI * 2 - 0.3, reach * random.between(0.42, 0.6)),
  );
  const top: Point = [centre[0] + reach * 0.06, centre[1] - reach * 0.1];
  const at = (points: readonly Point[], i: number): Point => points[i % sides] ?? centre;
  const triangles = times(sides, (i): readonly (readonly [Point, Point, Point])[] => [
    [at(outer, i), at(outer, i + 1), at(inner, i)],
    [at(inner, i), at(outer, i + 1), at(inner, i + 1)],
    [at(inner, i), at(inner, i + 1), top],
  ]).flat();
  const drawn = triangles.map((corners) => {
    const y = (corners[0][1] + corners[1][1] + corners[2][1]) / 3;
    const light = (y - centre[1]) / reach / 2 + 0.5 + random.between(-0.16, 0.16);
    const fill = shade(palette, Math.min(1, Math.max(0, light)));
    return path(lineData(corners, true), { fill, stroke: fill, 'stroke-width': 1 });
  });
  const floor = element('ellipse', {
    cx: centre[0],
    cy: centre[1] + reach * 1.05,
    rx: reach * 0.8,
    ry: reach * 0.07,
    fill: deep,
    opacity: '0.28',
  });
  return `${glow('room', '#ffffff', 0.5)}${rect(0, 0, width, height, { fill: mix(pale, palette.soft, 0.4) })}${circle(centre, reach * 1.5, { fill: 'url(#room)' })}${floor}${drawn.join('')}`;
}

function shade({ deep, mid, soft, pale, accent }: Palette, at: number): string {
  const scale = [mix(pale, '#ffffff', 0.4), accent, soft, mid, deep];
  const place = at * (scale.length - 1);
  const below = Math.floor(place);
  return mix(scale[below] ?? pale, scale[Math.min(below + 1, scale.length - 1)] ?? deep, place - below);
}
