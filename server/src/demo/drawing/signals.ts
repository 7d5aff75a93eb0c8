import {
  type Canvas,
  circle,
  curveData,
  glow,
  makeWave,
  mix,
  n,
  type Point,
  path,
  polar,
  rect,
  times,
  verticalGradient,
} from './svg.ts';

/** Lines that follow a wind. */
export function wind({ width, height, palette, random }: Canvas): string {
  const { deep, mid, soft, pale, accent } = palette;
  const [one, two] = [makeWave(random, 3), makeWave(random, 3)];
  const angle = ([x, y]: Point) => (one(x / width) + two(y / height)) * 1.5 + 0.25;
  const lines = times(330, () => {
    const points: Point[] = [[random.between(-0.1, 1.05) * width, random.between(-0.05, 1.05) * height]];
    for (const _ of times(22, () => 0)) {
      const last = points[points.length - 1] ?? [0, 0];
      points.push(polar(last, angle(last), width * 0.016));
    }
    const weight = random.between(0, 1);
    const colour = weight < 0.08 ? accent : mix(mix(mid, soft, weight), pale, weight * 0.8);
    return path(curveData(points), {
      fill: 'none',
      stroke: colour,
      'stroke-width': width * (0.0012 + 0.0068 * weight ** 3),
      'stroke-linecap': 'round',
      'stroke-opacity': '0.9',
    });
  });
  return `${verticalGradient('night', [deep, mix(deep, mid, 0.4)])}${rect(0, 0, width, height, { fill: 'url(#night)' })}${lines.join('')}`;
}

/** A song as rays around a circle: longer where it is louder. */
export function song({ width, height, palette, random }: Canvas): string {
  const { deep, mid, soft, pale, accent } = palette;
  const centre: Point = [width / 2, height / 2];
  const reach = Math.min(width, height) * 0.46;
  const count = 180;
  const [loud, quick] = [makeWave(random, 4), makeWave(random, 9)];
  const rays = times(count, (index) => {
    const turn = index / count;
    const closed = loud(turn) * (1 - turn) + loud(turn - 1) * turn;
    const level = Math.min(1, Math.max(0.08, 0.5 + 0.45 * closed + 0.25 * quick(turn * 6)));
    const angle = turn * Math.PI * 2 - Math.PI / 2;
    const [inner, outer] = [polar(centre, angle, reach * 0.34), polar(centre, angle, reach * (0.34 + 0.64 * level))];
    const colour = level > 0.78 ? accent : mix(mid, pale, level);
    return path(`M${n(inner[0])} ${n(inner[1])}L${n(outer[0])} ${n(outer[1])}`, {
      stroke: colour,
      'stroke-width': reach * 0.0165,
      'stroke-linecap': 'round',
    });
  });
  const rings = [0.29, 0.2, 0.11].map((share, index) =>
    circle(centre, reach * share, { fill: index === 2 ? accent : 'none', stroke: soft, 'stroke-width': reach * 0.012 }),
  );
  return `${glow('hall', mid, 0.5)}${rect(0, 0, width, height, { fill: deep })}${circle(centre, reach * 1.5, { fill: 'url(#hall)' })}${rays.join('')}${rings.join('')}`;
}

/** A sheet of charts without words: an area, bars and a cloud of points. */
export function charts({ width, height, palette, random }: Canvas): string {
  const { deep, mid, soft, pale, accent } = palette;
  const gap = Math.min(width, height) * 0.045;
  const card = (
    x: number,
    y: number,
    w: number,
    h: number,
    content: (x: number, y: number, w: number, h: number) => string,
  ) =>
    `${rect(x, y + gap * 0.12, w, h, { rx: gap * 0.5, fill: deep, opacity: '0.12' })}${rect(x, y, w, h, { rx: gap * 0.5, fill: '#ffffff' })}${content(x + gap * 0.8, y + gap * 0.8, w - gap * 1.6, h - gap * 1.6)}`;
  const wave = makeWave(random, 5);
  const area = (x: number, y: number, w: number, h: number) => {
    const line = (shift: number, size: number) =>
      curveData(
        times(25, (i): Point => [x + (w * i) / 24, y + h * (0.62 - 0.3 * (i / 24) - size * wave(i / 24 + shift))]),
      );
    const grid = times(5, (i) => rect(x, y + (h * i) / 4, w, 1.5, { fill: mix(pale, soft, 0.3) }));
    const filled = (d: string, fill: string) => path(`${d}V${n(y + h)}H${n(x)}Z`, { fill, opacity: '0.55' });
    const [upper, lower] = [line(0, 0.26), line(0.4, 0.16)];
    return [
      ...grid,
      filled(upper, soft),
      filled(lower, accent),
      path(upper, { fill: 'none', stroke: mid, 'stroke-width': h * 0.014 }),
      path(lower, { fill: 'none', stroke: deep, 'stroke-width': h * 0.014 }),
    ].join('');
  };
  const bars = (x: number, y: number, w: number, h: number) =>
    times(9, (i) => {
      const level = random.between(0.25, 1);
      return rect(x + (w * i) / 9, y + h * (1 - level), w / 13, h * level, {
        rx: w * 0.012,
        fill: i === 6 ? accent : mix(mid, soft, i / 9),
      });
    }).join('');
  const cloud = (x: number, y: number, w: number, h: number) =>
    times(70, () => {
      const at = random.between(0.03, 0.97);
      const up = Math.min(0.97, Math.max(0.03, at * 0.75 + random.between(-0.16, 0.22)));
      return circle([x + w * at, y + h * (1 - up)], w * random.between(0.008, 0.026), {
        fill: random.of([mid, soft, accent]),
        opacity: '0.8',
      });
    }).join('');
  const [top, low] = [(height - gap * 3) * 0.56, (height - gap * 3) * 0.44];
  const narrow = (width - gap * 3) / 2;
  return [
    rect(0, 0, width, height, { fill: pale }),
    card(gap, gap, width - gap * 2, top, area),
    card(gap, gap * 2 + top, narrow, low, bars),
    card(gap * 2 + narrow, gap * 2 + top, narrow, low, cloud),
  ].join('');
}

/** The moon in its phases above still water. */
export function phases({ width, height, palette }: Canvas): string {
  const { deep, mid, soft, pale, accent } = palette;
  const count = 7;
  const radius = width * 0.052;
  const moons = times(count, (index) => {
    const share = index / (count - 1);
    const at: Point = [width * (0.1 + 0.8 * share), height * (0.46 - 0.16 * Math.sin(share * Math.PI))];
    // The edge of the light is half an ellipse, narrow at the half moon.
    const across = Math.cos(share * Math.PI * 2) * radius;
    const isWaxing = share <= 0.5;
    const outer = isWaxing ? 1 : 0;
    const inner = across > 0 ? 1 - outer : outer;
    const [x, y] = at;
    const d = `M${n(x)} ${n(y - radius)}A${n(radius)} ${n(radius)} 0 0 ${outer} ${n(x)} ${n(y + radius)}A${n(Math.abs(across))} ${n(radius)} 0 0 ${inner} ${n(x)} ${n(y - radius)}Z`;
    return `${circle(at, radius * 2.4, { fill: 'url(#moonlight)', opacity: n(1 - Math.abs(share - 0.5) * 1.6) })}${circle(at, radius, { fill: mix(deep, mid, 0.45) })}${path(d, { fill: mix(pale, '#ffffff', 0.5) })}`;
  });
  const water = times(26, (row) => {
    const share = row / 25;
    const spread = width * (0.04 + 0.3 * share);
    return rect(
      width / 2 - spread + Math.sin(row * 2.4) * width * 0.02,
      height * (0.68 + 0.3 * share),
      spread * 2,
      height * 0.004,
      {
        fill: row % 5 === 2 ? accent : soft,
        opacity: n(0.75 - share * 0.5),
        rx: 2,
      },
    );
  });
  return [
    glow('moonlight', soft, 0.5),
    verticalGradient('dusk', [deep, mix(deep, mid, 0.5)]),
    rect(0, 0, width, height, { fill: 'url(#dusk)' }),
    rect(0, height * 0.66, width, height * 0.34, { fill: mix(deep, '#000000', 0.18) }),
    ...moons,
    ...water,
  ].join('');
}
