import {
  type Canvas,
  circle,
  element,
  glow,
  group,
  lineData,
  mix,
  n,
  type Point,
  path,
  polar,
  rect,
  type Scene,
  times,
  verticalGradient,
} from './svg.ts';

/** How a character is built. */
export interface Figure {
  readonly head: 'round' | 'square' | 'tall' | 'hexagon' | 'bean' | 'drop';
  readonly eyes: 'dots' | 'visor' | 'lens' | 'arcs' | 'sleepy' | 'stars';
  readonly top: 'leaf' | 'antenna' | 'antennae' | 'ring' | 'feather' | 'hat' | 'bun' | 'sun' | 'none';
  readonly body: 'bell' | 'box' | 'cape' | 'barrel' | 'robe';
  readonly pattern: 'stripes' | 'dots' | 'chevrons' | 'grid' | 'waves' | 'badge';
}

// Drawn for a head of radius 100 around the origin; the body hangs below.

/** The whole character on a stage. */
export function portrait(figure: Figure): Scene {
  return ({ width, height, palette }) => {
    const { deep, mid, soft, pale, accent } = palette;
    const scale = Math.min(width / 520, height / 690);
    const centre: Point = [width / 2, height * 0.36];
    const floor = centre[1] + scale * 372;
    return [
      verticalGradient('stage', [mix(soft, pale, 0.55), pale]),
      rect(0, 0, width, height, { fill: 'url(#stage)' }),
      circle([width / 2, height * 0.42], Math.min(width, height) * 0.4, {
        fill: mix(soft, pale, 0.15),
        opacity: '0.75',
      }),
      circle([width * 0.8, height * 0.17], width * 0.045, { fill: accent }),
      circle([width * 0.16, height * 0.28], width * 0.02, { fill: mid, opacity: '0.6' }),
      rect(0, floor - scale * 6, width, height, { fill: mix(mid, deep, 0.25) }),
      element('ellipse', {
        cx: width / 2,
        cy: floor + scale * 10,
        rx: scale * 165,
        ry: scale * 20,
        fill: deep,
        opacity: '0.5',
      }),
      place(centre, scale, [legs(palette), body(figure, palette), head(figure, palette)]),
    ].join('');
  };
}

/** The head alone, close. */
export function face(figure: Figure): Scene {
  return ({ width, height, palette }) => {
    const { mid, soft, pale } = palette;
    const scale = Math.min(width, height) / 330;
    return [
      verticalGradient('air', [mix(soft, mid, 0.25), mix(soft, pale, 0.35)]),
      glow('light', '#ffffff', 0.55),
      rect(0, 0, width, height, { fill: 'url(#air)' }),
      circle([width * 0.5, height * 0.45], width * 0.52, { fill: 'url(#light)' }),
      place([width / 2, height * 0.54], scale, [body(figure, palette), head(figure, palette)]),
    ].join('');
  };
}

function place([x, y]: Point, scale: number, parts: readonly string[]): string {
  return group(parts, { transform: `translate(${n(x)} ${n(y)}) scale(${scale.toFixed(3)})` });
}

type Colours = Canvas['palette'];

const headShapes: Readonly<Record<Figure['head'], string>> = {
  round: 'M-100 0A100 100 0 1 1 100 0A100 100 0 1 1 -100 0Z',
  square: 'M-98 -62Q-98 -96 -64 -96H64Q98 -96 98 -62V58Q98 92 64 92H-64Q-98 92 -98 58Z',
  tall: 'M-80 -40A80 80 0 0 1 80 -40V38A80 62 0 0 1 -80 38Z',
  hexagon: 'M-104 0L-56 -92Q-50 -100 -40 -100H40Q50 -100 56 -92L104 0L58 88Q52 98 42 98H-42Q-52 98 -58 88Z',
  bean: 'M-112 6C-116 -66 -62 -98 0 -92C66 -100 118 -62 112 8C108 74 58 94 0 90C-60 94 -108 72 -112 6Z',
  drop: 'M0 -126C40 -80 102 -48 102 16A102 84 0 0 1 -102 16C-102 -48 -40 -80 0 -126Z',
};

function head({ head: shape, eyes, top }: Figure, colours: Colours): string {
  const { deep, mid, pale, accent } = colours;
  const d = headShapes[shape];
  const skin = mix(pale, '#ffffff', 0.45);
  return [
    topping(top, colours, shape === 'drop' ? -118 : shape === 'tall' ? -116 : -94),
    circle([-104, 6], 20, { fill: mid }),
    circle([104, 6], 20, { fill: mid }),
    path(d, { fill: skin }),
    `<clipPath id="head">${path(d, {})}</clipPath>`,
    `<g clip-path="url(#head)">${rect(22, -140, 120, 290, { fill: deep, opacity: '0.07' })}${element('ellipse', { cx: -36, cy: -66, rx: 60, ry: 26, fill: '#ffffff', opacity: '0.7' })}</g>`,
    eyesOf(eyes, colours),
    circle([-62, 36], 13, { fill: accent, opacity: '0.45' }),
    circle([62, 36], 13, { fill: accent, opacity: '0.45' }),
    path('M-20 44Q0 60 20 44', { fill: 'none', stroke: deep, 'stroke-width': 7, 'stroke-linecap': 'round' }),
  ].join('');
}

function eyesOf(eyes: Figure['eyes'], { deep, mid, soft, accent }: Colours): string {
  const both = (draw: (x: number) => string) => `${draw(-38)}${draw(38)}`;
  const line = { fill: 'none', stroke: deep, 'stroke-width': 9, 'stroke-linecap': 'round' };
  const shine = (x: number, y: number, r: number) => circle([x, y], r, { fill: '#ffffff' });
  if (eyes === 'dots')
    return both((x) => `${element('ellipse', { cx: x, cy: -2, rx: 15, ry: 19, fill: deep })}${shine(x + 5, -9, 5)}`);
  if (eyes === 'arcs') return both((x) => path(`M${x - 17} 4Q${x} -22 ${x + 17} 4`, line));
  if (eyes === 'sleepy') return both((x) => path(`M${x - 17} -6Q${x} 10 ${x + 17} -6`, line));
  if (eyes === 'stars') {
    return both((x) =>
      path(
        lineData(
          times(10, (i) => polar([x, -3], (i / 10) * Math.PI * 2 - Math.PI / 2, i % 2 === 0 ? 21 : 9)),
          true,
        ),
        { fill: deep, 'stroke-linejoin': 'round' },
      ),
    );
  }
  if (eyes === 'visor') {
    return `${rect(-78, -30, 156, 54, { rx: 27, fill: deep })}${both((x) => circle([x, -3], 13, { fill: accent }))}${rect(-60, -23, 56, 8, { rx: 4, fill: '#ffffff', opacity: '0.35' })}`;
  }
  return `${circle([0, -8], 46, { fill: mix(mid, deep, 0.3) })}${circle([0, -8], 35, { fill: soft })}${circle([0, -8], 20, { fill: deep })}${shine(9, -18, 8)}`;
}

function topping(top: Figure['top'], { deep, mid, soft, accent }: Colours, y: number): string {
  const stem = (x: number, up: number) =>
    path(`M${x * 0.4} ${y + 12}Q${x * 0.5} ${y - up * 0.5} ${x} ${y - up}`, {
      fill: 'none',
      stroke: deep,
      'stroke-width': 8,
      'stroke-linecap': 'round',
    });
  const tops: Readonly<Record<Figure['top'], () => string>> = {
    none: () => '',
    antenna: () => `${stem(0, 42)}${circle([0, y - 46], 15, { fill: accent })}`,
    antennae: () => [-46, 46].map((x) => `${stem(x, 40)}${circle([x, y - 42], 12, { fill: accent })}`).join(''),
    leaf: () =>
      `${stem(6, 26)}${path(`M6 ${y - 20}C40 ${y - 76} 84 ${y - 66} 92 ${y - 62}C88 ${y - 22} 44 ${y - 2} 6 ${y - 20}Z`, { fill: mid })}${path(`M4 ${y - 18}C-18 ${y - 56} -50 ${y - 56} -62 ${y - 50}C-56 ${y - 20} -24 ${y - 4} 4 ${y - 18}Z`, { fill: soft })}`,
    ring: () =>
      `${element('ellipse', { cx: 0, cy: y - 26, rx: 74, ry: 20, fill: 'none', stroke: accent, 'stroke-width': 11 })}`,
    feather: () =>
      `${path(`M18 ${y + 10}C10 ${y - 60} 60 ${y - 92} 84 ${y - 96}C92 ${y - 40} 60 ${y - 4} 18 ${y + 10}Z`, { fill: accent })}${path(`M18 ${y + 10}Q40 ${y - 46} 76 ${y - 82}`, { fill: 'none', stroke: deep, 'stroke-width': 4, 'stroke-opacity': '0.6' })}`,
    hat: () =>
      `${path(`M-70 ${y + 18}L-50 ${y - 44}Q-46 ${y - 54} -34 ${y - 54}H34Q46 ${y - 54} 50 ${y - 44}L70 ${y + 18}Z`, { fill: mid })}${rect(-116, y + 8, 232, 20, { rx: 10, fill: deep })}${rect(-64, y - 14, 128, 18, { fill: accent })}`,
    bun: () =>
      `${circle([0, y - 18], 40, { fill: deep })}${path(`M-92 ${y + 46}Q-70 ${y - 8} 0 ${y - 8}Q70 ${y - 8} 92 ${y + 46}Z`, { fill: deep })}`,
    sun: () =>
      times(7, (i) => {
        const [a, b] = [
          polar([0, 6], Math.PI * (1.14 + i * 0.12), 114),
          polar([0, 6], Math.PI * (1.14 + i * 0.12), i % 2 === 0 ? 146 : 134),
        ];
        return path(`M${n(a[0])} ${n(a[1])}L${n(b[0])} ${n(b[1])}`, {
          stroke: accent,
          'stroke-width': 12,
          'stroke-linecap': 'round',
        });
      }).join(''),
  };
  return tops[top]();
}

const bodyShapes: Readonly<Record<Figure['body'], string>> = {
  bell: 'M-58 78Q0 108 58 78C92 130 124 230 132 306Q0 346 -132 306C-124 230 -92 130 -58 78Z',
  box: 'M-78 84H78Q112 84 114 118L122 278Q122 318 84 318H-84Q-122 318 -122 278L-114 118Q-112 84 -78 84Z',
  cape: 'M-50 76Q0 96 50 76L158 312Q112 296 84 316Q46 300 0 318Q-46 300 -84 316Q-112 296 -158 312Z',
  barrel: 'M-68 82Q0 100 68 82C124 130 134 250 92 316H-92C-134 250 -124 130 -68 82Z',
  robe: 'M-64 80Q0 104 64 80L104 330Q0 352 -104 330Z',
};

function body({ body: shape, pattern }: Figure, colours: Colours): string {
  const { deep, mid, soft } = colours;
  const d = bodyShapes[shape];
  const arm = (side: number) =>
    `${path(`M${side * 78} 132Q${side * 150} 160 ${side * 138} 236`, { fill: 'none', stroke: mix(mid, deep, 0.2), 'stroke-width': 30, 'stroke-linecap': 'round' })}${circle([side * 137, 242], 20, { fill: soft })}`;
  return [
    shape === 'cape' ? '' : arm(-1),
    shape === 'cape' ? '' : arm(1),
    rect(-26, 70, 52, 40, { fill: mix(mid, deep, 0.35) }),
    path(d, { fill: mid }),
    `<clipPath id="body">${path(d, {})}</clipPath>`,
    `<g clip-path="url(#body)">${patternOf(pattern, colours)}${rect(50, 60, 140, 300, { fill: deep, opacity: '0.16' })}</g>`,
  ].join('');
}

function patternOf(pattern: Figure['pattern'], { deep, soft, pale, accent }: Colours): string {
  const patterns: Readonly<Record<Figure['pattern'], () => readonly string[]>> = {
    stripes: () => times(6, (i) => rect(-170, 104 + i * 42, 340, 18, { fill: i === 2 ? accent : soft })),
    dots: () =>
      times(40, (i) =>
        circle([-140 + (i % 8) * 40 + (Math.floor(i / 8) % 2) * 20, 118 + Math.floor(i / 8) * 46], 9, {
          fill: i % 7 === 3 ? accent : pale,
        }),
      ),
    chevrons: () =>
      times(6, (i) =>
        path(`M-180 ${92 + i * 44}L0 ${142 + i * 44}L180 ${92 + i * 44}`, {
          fill: 'none',
          stroke: i % 3 === 1 ? accent : soft,
          'stroke-width': 13,
        }),
      ),
    grid: () => [
      ...times(8, (i) => rect(-150 + i * 42, 60, 5, 300, { fill: soft })),
      ...times(7, (i) => rect(-170, 96 + i * 42, 340, 5, { fill: soft })),
      circle([0, 190], 34, { fill: accent }),
    ],
    waves: () =>
      times(6, (i) =>
        path(`M-180 ${110 + i * 42}q30 -26 60 0t60 0t60 0t60 0t60 0t60 0`, {
          fill: 'none',
          stroke: i === 3 ? accent : pale,
          'stroke-width': 9,
        }),
      ),
    badge: () => [
      circle([0, 186], 52, { fill: deep, opacity: '0.25' }),
      circle([0, 182], 52, { fill: pale }),
      circle([0, 182], 34, { fill: accent }),
      circle([0, 182], 14, { fill: pale }),
    ],
  };
  return patterns[pattern]().join('');
}

function legs({ deep, mid }: Colours): string {
  const colour = mix(mid, deep, 0.55);
  return [-1, 1]
    .map(
      (side) =>
        `${rect(side * 44 - 15, 300, 30, 66, { fill: colour })}${path(`M${side * 44 - 24} 372Q${side * 44 - 22} 348 ${side * 44} 348Q${side * 44 + 30} 350 ${side * 44 + 32} 372Z`, { fill: deep })}`,
    )
    .join('');
}
