import { limits } from '../src/index.ts';
import { formatTable } from './format-table.ts';
import { type LimitAdvice, type LimitName, limitGroups } from './limit-guide.ts';

/** The unit at the end of a name, in words. */
const units: readonly (readonly [suffix: RegExp, unit: string])[] = [
  [/PerMinute$/, 'per minute'],
  [/PerHour$/, 'per hour'],
  [/Bytes$/, 'bytes'],
  [/Length$/, 'characters'],
  [/Seconds$/, 'seconds'],
  [/Minutes$/, 'minutes'],
  [/Hours$/, 'hours'],
  [/Days$/, 'days'],
  [/Pixels(PerSide)?$/, 'pixels'],
  [/^pdfMaxPages$/, 'pages'],
  [/Minor$/, 'minor units'],
  [/Bps$/, 'hundredths of a percent'],
];

function unitOf(name: LimitName): string {
  return units.find(([suffix]) => suffix.test(name))?.[1] ?? '';
}

function entriesOf(group: Readonly<Partial<Record<LimitName, LimitAdvice>>>) {
  return Object.entries(group) as (readonly [LimitName, LimitAdvice])[];
}

/** The value of a limit with its unit. */
function formatValue(name: LimitName): string {
  return `${limits[name].toLocaleString('en')} ${unitOf(name)}`.trim();
}

/** Prints rows for these limits, without settings. */
export function printLimitRows(names: readonly string[]): string {
  const advice = new Map(Object.values(limitGroups).flatMap(entriesOf));
  const rows = names.map((name) => {
    const found = advice.get(name as LimitName);
    if (found === undefined) throw new Error(`No limit is called ${name}.`);
    return [found.meaning, formatValue(name as LimitName)];
  });
  return formatTable(['limit', 'value'], rows);
}

/** Prints every limit of the contract, in groups, with the settings that change some of them. */
export function printLimits(): string {
  const described = new Set<string>(Object.values(limitGroups).flatMap((group) => Object.keys(group)));
  const missing = Object.keys(limits).filter((name) => !described.has(name));
  if (missing.length > 0) throw new Error(`contract/scripts/limit-guide.ts lacks ${missing.join(', ')}.`);
  const row = ([name, { meaning, setting }]: readonly [LimitName, LimitAdvice]) => [
    `\`${name}\``,
    limits[name].toLocaleString('en'),
    unitOf(name),
    meaning,
    setting === undefined ? '' : `\`${setting}\``,
  ];
  return `${[
    '# Limits',
    introduction,
    ...Object.entries(limitGroups).flatMap(([title, group]) => [
      `## ${title}`,
      formatTable(['limit', 'value', 'unit', 'meaning', 'setting'], entriesOf(group).map(row)),
    ]),
  ].join('\n\n')}\n`;
}

const introduction = `Find a limit, such as a rate limit (429), a size or a retention time. Printed by \`npm run generate\` from \`contract/src/limits.ts\`, which server, SDK and CLI use.

Characters are Unicode code points. If a row names a setting, the value is its default, which the operator of a server may have changed;
[Settings](settings.md) lists the ranges, and a change needs a restart. Each limit on requests has its own error code: see [Errors](errors.md). A 429 with
\`Retry-After\` is temporary.`;
