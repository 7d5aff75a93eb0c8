import {
  type Canvas,
  circle,
  curveData,
  element,
  glow,
  lineData,
  mix,
  n,
  type Point,
  path,
  polar,
  type RandomSource,
  rect,
  times,
  verticalGradient,
} from './svg.ts';

/** A town of blocks in parallel projection. */
export function town({ width, height, palette, random }: Canvas): string {
  const { deep, mid, soft, pale, accent } = palette;
  const cells = 9;
  const unit = Math.min(width / (cells * 1.9), height / (cells * 1.25));
  const origin: Point = [width / 2, height * 0.2];
  const place = (x: number, y: number, z: number): Point => [
    origin[0] + (x - y) * unit,
    origin[1] + (x + y) * unit * 0.5 - z * unit,
  ];
  const block = (x: number, y: number, tall: number, colour: string) => {
    const [inset, far] = [0.1, 0.9];
    const p = (dx: number, dy: number, z: number) => place(x + dx, y + dy, z);
    const left = [p(inset, far, 0), p(far, far, 0), p(far, far, tall), p(inset, far, tall)];
    const right = [p(far, far, 0), p(far, inset, 0), p(far, inset, tall), p(far, far, tall)];
    const top = [p(inset, inset, tall), p(far, inset, tall), p(far, far, tall), p(inset, far, tall)];
    const windows = times(Math.floor(tall * 2), (floor) =>
      times(2, (index) => {
        const z = floor / 2 + 0.18;
        const at = inset + 0.16 + index * 0.34;
        if (z + 0.24 > tall || random.between(0, 1) < 0.3) return '';
        const pane = [
          p(far, far - at, z),
          p(far, far - at - 0.18, z),
          p(far, far - at - 0.18, z + 0.22),
          p(far, far - at, z + 0.22),
        ];
        return path(lineData(pane, true), { fill: accent, opacity: '0.85' });
      }).join(''),
    );
    return [
      path(lineData(left, true), { fill: mix(colour, '#000000', 0.14) }),
      path(lineData(right, true), { fill: mix(colour, deep, 0.42) }),
      path(lineData(top, true), { fill: mix(colour, '#ffffff', 0.28) }),
      ...windows,
    ].join('');
  };
  const blocks = times(cells * cells, (index) => {
    const [x, y] = [index % cells, Math.floor(index / cells)];
    const distance = Math.hypot(x - cells / 2 + 0.5, y - cells / 2 + 0.5) / cells;
    const tall = random.between(0.2, 1) * (3.6 - distance * 4.6) + 0.25;
    return random.between(0, 1) < 0.13
      ? trees(place(x + 0.5, y + 0.5, 0), unit, mix(mid, deep, 0.2))
      : block(x, y, Math.max(0.25, tall), random.of([mid, soft, soft, pale, mix(accent, soft, 0.4)]));
  });
  const ground = lineData(
    [
      place(-0.4, -0.4, 0),
      place(cells + 0.4, -0.4, 0),
      place(cells + 0.4, cells + 0.4, 0),
      place(-0.4, cells + 0.4, 0),
    ],
    true,
  );
  return [
    verticalGradient('air', [mix(pale, soft, 0.5), mix(pale, '#ffffff', 0.4)]),
    rect(0, 0, width, height, { fill: 'url(#air)' }),
    path(ground, { fill: mix(soft, deep, 0.25) }),
    ...blocks,
  ].join('');
}

function trees([x, y]: Point, unit: number, colour: string): string {
  return [
    rect(x - unit * 0.04, y - unit * 0.3, unit * 0.08, unit * 0.3, { fill: mix(colour, '#000000', 0.4) }),
    circle([x, y - unit * 0.48], unit * 0.3, { fill: colour }),
    circle([x - unit * 0.08, y - unit * 0.55], unit * 0.17, { fill: mix(colour, '#ffffff', 0.18) }),
  ].join('');
}

/** Vessels on two shelves, each turned from one profile. */
export function vessels({ width, height, palette, random }: Canvas): string {
  const { deep, mid, soft, pale, accent } = palette;
  const shelf = (y: number, count: number, tall: number) => {
    const step = (width * 0.86) / count;
    const board = rect(width * 0.04, y, width * 0.92, height * 0.018, {
      fill: mix(deep, mid, 0.3),
      rx: height * 0.006,
    });
    const shadow = rect(width * 0.05, y + height * 0.018, width * 0.9, height * 0.014, { fill: deep, opacity: '0.16' });
    const pots = times(count, (index) =>
      vessel(
        random,
        [width * 0.07 + step * (index + 0.5), y],
        step * random.between(0.58, 0.84),
        tall * random.between(0.55, 1),
        [random.of([mid, soft, accent, deep, mix(pale, '#ffffff', 0.4)]), random.of([pale, accent, deep, soft])],
        index,
      ),
    );
    return `${shadow}${board}${pots.join('')}`;
  };
  return [
    verticalGradient('wall', [mix(pale, soft, 0.18), mix(pale, soft, 0.42)]),
    rect(0, 0, width, height, { fill: 'url(#wall)' }),
    shelf(height * 0.46, 5, height * 0.32),
    shelf(height * 0.9, 4, height * 0.34),
  ].join('');
}

function vessel(
  random: RandomSource,
  [x, y]: Point,
  w: number,
  h: number,
  [body, band]: readonly [string, string],
  index: number,
): string {
  const foot = random.between(0.22, 0.34);
  const belly = random.between(0.4, 0.5);
  const neck = random.between(0.12, 0.34);
  const side: readonly Point[] = [
    [foot, 0],
    [belly * 0.92, 0.22],
    [belly, 0.45],
    [neck + 0.06, 0.8],
    [neck, 0.9],
    [neck + 0.05, 1],
  ];
  const right = side.map(([dx, dy]): Point => [x + dx * w, y - dy * h]);
  const left = side.toReversed().map(([dx, dy]): Point => [x - dx * w, y - dy * h]);
  const d = `${curveData(right)}L${curveData(left).slice(1)}Z`;
  const id = `pot${index}x${Math.round(x)}y${Math.round(y)}`;
  const clip = `<clipPath id="${id}">${path(d, {})}</clipPath>`;
  const stripes = times(3, (row) =>
    rect(x - w, y - h * (0.36 + row * 0.1), w * 2, h * random.between(0.02, 0.055), { fill: band }),
  );
  const light = element('ellipse', {
    cx: x - w * belly * 0.5,
    cy: y - h * 0.5,
    rx: w * 0.09,
    ry: h * 0.34,
    fill: '#ffffff',
    opacity: '0.22',
  });
  const dark = rect(x + w * belly * 0.45, y - h, w, h, { fill: '#000000', opacity: '0.13' });
  return `${clip}<g clip-path="url(#${id})">${path(d, { fill: body })}${stripes.join('')}${dark}${light}</g>`;
}

/** A fern on paper, drawn from branches of branches. */
export function fern({ width, height, palette, random }: Canvas): string {
  const { deep, mid, soft, pale, accent } = palette;
  const drawn: string[] = [];
  const frond = (from: Point, angle: number, length: number, depth: number, bow: number) => {
    const count = depth === 0 ? 0 : 15;
    const points = times(13, (step): Point => {
      const share = step / 12;
      return polar(from, angle + bow * share, length * share);
    });
    const colour = mix(deep, mid, random.between(0, 0.7));
    drawn.push(
      path(curveData(points), {
        fill: 'none',
        stroke: colour,
        'stroke-width': length * 0.012 + 1,
        'stroke-linecap': 'round',
      }),
    );
    for (const index of times(count, (i) => i + 1)) {
      const share = index / (count + 1);
      const at = polar(from, angle + bow * share, length * share);
      const size = length * (depth === 2 ? 0.4 : 0.26) * (1.05 - share) * (0.35 + 0.65 * Math.min(1, share * 5));
      for (const side of [-1, 1]) {
        const turn = angle + bow * share * 1.6 + side * (1.02 - share * 0.35);
        if (depth > 1) frond(at, turn, size, depth - 1, side * -0.25);
        else
          drawn.push(
            leafAt(at, turn, size, mix(mid, random.between(0, 1) < 0.06 ? accent : soft, random.between(0, 0.9))),
          );
      }
    }
  };
  const lean = random.between(0.06, 0.2) * random.of([-1, 1]);
  frond([width * 0.5, height * 0.95], -Math.PI / 2 - lean, height * random.between(0.74, 0.86), 2, lean * 2.4);
  return [
    glow('page', '#ffffff', 0.8),
    rect(0, 0, width, height, { fill: pale }),
    circle([width * 0.5, height * 0.45], height * 0.6, { fill: 'url(#page)' }),
    ...drawn,
  ].join('');
}

function leafAt([x, y]: Point, angle: number, length: number, fill: string): string {
  const [tip, one, two] = [
    polar([x, y], angle, length),
    polar([x, y], angle - 0.42, length * 0.55),
    polar([x, y], angle + 0.42, length * 0.55),
  ];
  return path(
    `M${n(x)} ${n(y)}Q${n(one[0])} ${n(one[1])} ${n(tip[0])} ${n(tip[1])}Q${n(two[0])} ${n(two[1])} ${n(x)} ${n(y)}Z`,
    { fill },
  );
}
