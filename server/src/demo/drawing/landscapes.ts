import {
  type Canvas,
  circle,
  curveData,
  glow,
  loopData,
  makeWave,
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

/** Hills in layers of haze below a low sun, and a few birds. */
export function hills({ width, height, palette, random }: Canvas): string {
  const { deep, mid, soft, pale, accent } = palette;
  const layers = 7;
  const sun: Point = [width * random.between(0.3, 0.72), height * random.between(0.3, 0.4)];
  const radius = Math.min(width, height) * 0.11;
  const ridges = times(layers, (index) => {
    const share = index / (layers - 1);
    const top = height * (0.42 + share * 0.46);
    const wave = makeWave(random, 5);
    const points = times(41, (step): Point => {
      return [(width * step) / 40, top + wave(step / 40) * height * (0.05 + 0.06 * (1 - share))];
    });
    const colour = share < 0.5 ? mix(soft, mid, share * 2) : mix(mid, deep, share * 2 - 1);
    return path(`${curveData(points)}V${height}H0Z`, { fill: colour });
  });
  return [
    verticalGradient('sky', [mix(mid, soft, 0.5), mix(soft, pale, 0.6), pale]),
    rect(0, 0, width, height, { fill: 'url(#sky)' }),
    glow('halo', accent, 0.9),
    circle(sun, radius * 3.6, { fill: 'url(#halo)' }),
    circle(sun, radius, { fill: mix(accent, '#ffffff', 0.25) }),
    ...ridges.slice(0, 2),
    ...birds(random, [width * random.between(0.15, 0.7), height * 0.24], width * 0.016, deep),
    ...ridges.slice(2),
  ].join('');
}

function birds(random: RandomSource, [x, y]: Point, size: number, colour: string): readonly string[] {
  return times(7, (index) => {
    const s = size * random.between(0.6, 1.1);
    const [bx, by] = [x + index * size * 2.1, y + Math.abs(index - 3) * size * 0.9 + random.between(-s, s)];
    const d = `M${n(bx - s)} ${n(by - s * 0.5)}Q${n(bx - s * 0.4)} ${n(by - s * 0.7)} ${n(bx)} ${n(by)}Q${n(bx + s * 0.4)} ${n(by - s * 0.7)} ${n(bx + s)} ${n(by - s * 0.5)}`;
    return path(d, { fill: 'none', stroke: colour, 'stroke-width': s * 0.18, 'stroke-linecap': 'round' });
  });
}

/** Steep mountains in mist, as in an ink painting, with a red moon. */
export function mist({ width, height, palette, random }: Canvas): string {
  const { deep, mid, pale, accent } = palette;
  const layers = 6;
  const mountains = times(layers, (index) => {
    const share = index / (layers - 1);
    const base = height * (0.5 + share * 0.42);
    const peaks = 3 + index;
    const heights = times(peaks, () => random.between(0.35, 1));
    const points = times(61, (step): Point => {
      const at = (step / 60) * peaks;
      const lift = heights.reduce(
        (sum, tall, peak) => Math.max(sum, tall * Math.exp(-(((at - peak - 0.5) * 1.9) ** 2))),
        0,
      );
      const rough = random.between(-1, 1) * height * 0.006;
      return [(width * step) / 60, base - lift * height * (0.34 - share * 0.18) + rough];
    });
    const id = `mist${index}`;
    const colour = mix(mix(pale, mid, 0.35), deep, share ** 1.3);
    return `${verticalGradient(id, [colour, mix(colour, pale, 0.55), pale])}${path(`${curveData(points)}V${height}H0Z`, { fill: `url(#${id})` })}`;
  });
  const moon: Point = [width * random.between(0.22, 0.78), height * 0.2];
  return [
    verticalGradient('sky', [mix(pale, mid, 0.22), pale]),
    rect(0, 0, width, height, { fill: 'url(#sky)' }),
    circle(moon, Math.min(width, height) * 0.075, { fill: accent }),
    ...mountains,
  ].join('');
}

/** Layers of cut paper around a valley, each with its shadow. */
export function paperCut({ width, height, palette, random }: Canvas): string {
  const { deep, mid, soft, pale, accent } = palette;
  const levels = 8;
  const centre: Point = [width * random.between(0.42, 0.58), height * random.between(0.42, 0.58)];
  const [tall, slow] = [makeWave(random, 3), makeWave(random, 2)];
  const ring = (share: number) =>
    loopData(
      times(36, (step): Point => {
        const angle = (step / 36) * Math.PI * 2;
        // A wave over the circle has to close: the angle is read from both ends.
        const turn = step / 36;
        const bump = tall(turn) * (1 - turn) + tall(turn - 1) * turn + 0.6 * slow(share * 0.5);
        const radius = share * (0.86 + bump * 0.34);
        return [
          centre[0] + Math.cos(angle) * radius * width * 0.62,
          centre[1] + Math.sin(angle) * radius * height * 0.62,
        ];
      }),
    );
  const sheets = times(levels, (index) => {
    const share = 1 - index / levels;
    const depth = index / (levels - 1);
    const colour = depth < 0.5 ? mix(pale, soft, depth * 2) : mix(soft, deep, (depth - 0.5) * 2);
    const d = ring(share);
    // Wide, faint lines below each other: a blur takes a hundred times as long.
    const shadow = times(5, (line) =>
      path(d, {
        ...{ fill: 'none', stroke: '#000000', opacity: '0.05' },
        'stroke-width': width * 0.005 * (line + 1),
        transform: `translate(0 ${n(height * 0.004)})`,
      }),
    );
    return `${shadow.join('')}${path(d, { fill: index === levels - 1 ? accent : colour })}`;
  });
  return `${rect(0, 0, width, height, { fill: mix(pale, mid, 0.12) })}${sheets.join('')}`;
}

/** Lines of waves in front of each other, higher towards the middle; `strength` 0 is a still sea. */
export const tides = (strength: number) => (canvas: Canvas) => drawTides(canvas, strength);

function drawTides({ width, height, palette, random }: Canvas, strength: number): string {
  const { deep, mid, soft, pale, accent } = palette;
  const lines = 34;
  const drawn = times(lines, (index) => {
    const share = index / (lines - 1);
    const y = height * (0.2 + share * 0.7);
    const wave = makeWave(random, 6);
    const shift = random.between(-0.12, 0.12);
    const points = times(73, (step): Point => {
      const at = step / 72;
      const hill = Math.exp(-(((at - 0.5 - shift) * 4.2) ** 2));
      const lift = (0.12 + 0.88 * hill) * Math.abs(wave(at) + 0.35 * wave(at * 3)) * height * 0.13 * strength;
      return [width * (0.08 + at * 0.84), y - lift];
    });
    const colour = index % 9 === 4 ? accent : mix(pale, soft, share * 0.7);
    const d = curveData(points);
    const fill = path(`${d}V${n(y + height * 0.1)}H${n(width * 0.08)}Z`, { fill: mix(deep, mid, share * 0.25) });
    return `${fill}${path(d, { fill: 'none', stroke: colour, 'stroke-width': width * 0.0028 })}`;
  });
  const frame = rect(0, height * 0.93, width, height * 0.07, { fill: mix(deep, mid, 0.25) });
  return `${verticalGradient('deep', [deep, mix(deep, mid, 0.25)])}${rect(0, 0, width, height, { fill: 'url(#deep)' })}${drawn.join('')}${frame}`;
}

/** A chart of the sky: rings, stars and a constellation. */
export function starChart({ width, height, palette, random }: Canvas): string {
  const { deep, mid, soft, pale, accent } = palette;
  const centre: Point = [width / 2, height / 2];
  const radius = Math.min(width, height) * 0.43;
  const rings = times(5, (index) =>
    circle(centre, (radius * (index + 1)) / 5, {
      fill: 'none',
      stroke: soft,
      'stroke-opacity': index === 4 ? '0.9' : '0.3',
      'stroke-width': width * (index === 4 ? 0.003 : 0.0012),
    }),
  );
  const spokes = times(24, (index) => {
    const angle = (index / 24) * Math.PI * 2;
    const inner = index % 6 === 0 ? 0 : radius * 0.2;
    const [[ax, ay], [bx, by]] = [polar(centre, angle, inner), polar(centre, angle, radius)];
    return path(`M${n(ax)} ${n(ay)}L${n(bx)} ${n(by)}`, {
      stroke: soft,
      'stroke-opacity': '0.22',
      'stroke-width': width * 0.001,
    });
  });
  const ticks = times(120, (index) => {
    const angle = (index / 120) * Math.PI * 2;
    const [[ax, ay], [bx, by]] = [
      polar(centre, angle, radius),
      polar(centre, angle, radius * (index % 10 === 0 ? 1.05 : 1.022)),
    ];
    return path(`M${n(ax)} ${n(ay)}L${n(bx)} ${n(by)}`, { stroke: soft, 'stroke-width': width * 0.0015 });
  });
  const star = () => polar(centre, random.between(0, Math.PI * 2), radius * Math.sqrt(random.between(0.005, 0.94)));
  const dust = times(260, () => circle(star(), width * random.between(0.0006, 0.0022), { fill: pale, opacity: '0.8' }));
  const band = times(5, () => {
    const at = star();
    return circle(at, radius * random.between(0.2, 0.45), { fill: 'url(#cloud)' });
  });
  const figures = times(3, (index) => {
    const start = polar(centre, (index / 3) * Math.PI * 2 + random.between(0, 1), radius * 0.52);
    const points = times(6, (step) =>
      step === 0 ? start : polar(start, random.between(0, Math.PI * 2), radius * random.between(0.12, 0.38)),
    ).toSorted(([a], [b]) => a - b);
    const d = `M${points.map(([x, y]) => `${n(x)} ${n(y)}`).join('L')}`;
    return [
      path(d, { fill: 'none', stroke: accent, 'stroke-width': width * 0.0018, 'stroke-opacity': '0.75' }),
      ...points.map((at) => circle(at, width * random.between(0.004, 0.007), { fill: mix(accent, '#ffffff', 0.5) })),
    ].join('');
  });
  return [
    glow('cloud', mid, 0.55),
    glow('dome', mix(mid, soft, 0.3), 0.55),
    rect(0, 0, width, height, { fill: deep }),
    circle(centre, radius * 1.5, { fill: 'url(#dome)' }),
    ...band,
    ...rings,
    ...spokes,
    ...ticks,
    ...dust,
    ...figures,
  ].join('');
}
