import { type Bound, isReached } from '../measure.ts';
import { showNumber } from '../report.ts';
import type { SavedRun } from './saved-run.ts';

/** A ratio over the runs that have it. */
interface Series {
  readonly measure: string;
  readonly name: string;
  readonly target: Bound;
  /** The place of the run among all runs, and the value. */
  readonly points: readonly (readonly [run: number, value: number])[];
}

const panel = { width: 300, height: 118, columns: 3, left: 12, right: 52, top: 46, bottom: 22 };

// The colours of the design tokens, for the light and the dark scheme: an image does not see the variables of its page.
const colours = {
  ink: ['#1b1d21', '#ebe9e4'],
  soft: ['#5a5e67', '#a5a9b2'],
  line: ['#e5e1d9', '#2e323a'],
  link: ['#1f4fc4', '#93b4ff'],
  passed: ['#1a7a48', '#4cc38a'],
  failed: ['#bd2b2b', '#ff7b72'],
} as const;

const coloured = (scheme: 0 | 1) => `
  text { fill: ${colours.soft[scheme]} }
  .name { fill: ${colours.ink[scheme]} }
  .frame { stroke: ${colours.line[scheme]} }
  .target { stroke: ${colours.soft[scheme]} }
  .line { stroke: ${colours.link[scheme]} }
  .point { fill: ${colours.link[scheme]} }
  .reached { fill: ${colours.passed[scheme]} }
  .missed { fill: ${colours.failed[scheme]} }`;

const style = `
  text { font: 11px system-ui, sans-serif }
  .name { font-weight: 600; font-size: 12px }
  .frame, .line { fill: none }
  .target { stroke-dasharray: 4 3 }
  .line { stroke-width: 1.5 }${coloured(0)}
  @media (prefers-color-scheme: dark) {${coloured(1)}
  }`;

/** Draws a panel for each ratio that has a target: its value in each run, the oldest on the left. */
export function drawRatios(runs: readonly SavedRun[]): string {
  const series = collect(runs);
  const rows = Math.ceil(series.length / panel.columns);
  const [width, height] = [panel.columns * panel.width, Math.max(1, rows) * panel.height];
  const panels = series.map((one, index) => {
    const [x, y] = [(index % panel.columns) * panel.width, Math.floor(index / panel.columns) * panel.height];
    return `<g transform="translate(${x} ${y})">${drawPanel(one, runs)}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<style>${style}
</style>
${panels.join('\n')}
</svg>
`;
}

/** The ratios of the latest runs that have them, in their order. */
function collect(runs: readonly SavedRun[]): readonly Series[] {
  const series = new Map<string, Series>();
  for (const [run, { results }] of runs.entries())
    for (const { measure, figures } of results)
      for (const { name, value, unit, target } of figures) {
        if (target === undefined || unit !== '') continue;
        const key = `${measure}: ${name}`;
        series.set(key, { measure, name, target, points: [...(series.get(key)?.points ?? []), [run, value]] });
      }
  return [...series.values()];
}

function drawPanel({ measure, name, target, points }: Series, runs: readonly SavedRun[]): string {
  const goal = 'atLeast' in target ? target.atLeast : target.below;
  const top = Math.max(goal, ...points.map(([, value]) => value)) * 1.15;
  const { width, height } = panel;
  const right = width - panel.right;
  const bottom = height - panel.bottom;
  const xOf = (run: number) => panel.left + ((right - panel.left) * (run + 0.5)) / runs.length;
  const yOf = (value: number) => bottom - ((bottom - panel.top) * value) / top;
  const at = points.map(([run, value]) => `${round(xOf(run))},${round(yOf(value))}`);
  const [last] = points.slice(-1);
  const value = last?.[1] ?? Number.NaN;
  const verdict = isReached({ name, value, unit: '', target }) ? 'reached' : 'missed';
  const [first, end] = [runs[points[0]?.[0] ?? 0]?.date.slice(0, 10), runs[last?.[0] ?? 0]?.date.slice(0, 10)];
  return [
    `<text class="name" x="${panel.left}" y="16">${escapeXml(measure)}</text>`,
    `<text x="${panel.left}" y="31">${escapeXml(name.length > 46 ? `${name.slice(0, 45)}…` : name)}</text>`,
    `<path class="frame" d="M${panel.left} ${panel.top}V${bottom}H${right}"/>`,
    `<path class="target" d="M${panel.left} ${round(yOf(goal))}H${right}"/>`,
    `<text x="${right + 5}" y="${round(yOf(goal) + 4)}">${'atLeast' in target ? '≥' : '&lt;'} ${goal}</text>`,
    `<polyline class="line" points="${at.join(' ')}"/>`,
    ...at.map((place) => `<circle class="point" cx="${place.split(',')[0]}" cy="${place.split(',')[1]}" r="2.5"/>`),
    `<text class="${verdict}" x="${width - 10}" y="16" text-anchor="end">${showNumber(value)}</text>`,
    `<text x="${panel.left}" y="${height - 7}">${first === end ? first : `${first} to ${end}`}</text>`,
  ].join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeXml(text: string): string {
  return text.replaceAll(/[<>&]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
