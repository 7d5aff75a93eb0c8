import { formatTable } from '@agent-platform/contract/documents';
import { allSettings } from '../src/platform/settings/all-settings.ts';
import type { Setting } from '../src/platform/settings/setting.ts';

/** The unit that the name of a setting contains. */
const units: readonly (readonly [part: RegExp, unit: string])[] = [
  [/_PER_MINUTE$/, 'per minute'],
  [/_PER_HOUR$/, 'per hour'],
  [/_SECONDS$/, 'seconds'],
  [/_MINUTES$/, 'minutes'],
  [/_HOURS$/, 'hours'],
  [/_DAYS$/, 'days'],
  [/_MS$/, 'milliseconds'],
  [/_BYTES(_TOTAL)?$/, 'bytes'],
  [/_BPS$/, 'hundredths of a percent'],
];

function listCells({ variable, fallback, form, meaning }: Setting<unknown>): readonly string[] {
  const isUnset = fallback === undefined || (Array.isArray(fallback) && fallback.length === 0);
  const unit = units.find(([part]) => part.test(variable))?.[1] ?? '';
  const values = [form, unit].filter((text) => text !== '').join(', ');
  // As code, an address with an ellipsis is no link.
  return [`\`${variable}\``, meaning, isUnset ? 'unset' : `\`${String(fallback)}\``, values].map((cell) =>
    cell.replaceAll(/(?<!`)\b[a-z0-9]+:\/\/[^\s;]*/g, '`$&`'),
  );
}

/** Prints every setting with its meaning, default, permitted values and unit. */
export function printSettings(): string {
  return `${[
    '# Settings',
    introduction,
    formatTable(
      ['variable', 'meaning', 'default', 'values'],
      Object.values<Setting<unknown>>(allSettings).map(listCells),
    ),
  ].join('\n\n')}\n`;
}

const introduction = `Printed by \`npm run generate\` from \`server/src/platform/settings/all-settings.ts\`, which the server reads.

Settings are environment variables that are read once at the start. An invalid value stops the server before it changes anything,
with exit code 2 and a list of all errors. An empty variable counts as unset. The log and \`operator doctor\` report variables that begin
with \`PLATFORM_\` and are not settings; most of them are misspelled. \`operator config\` shows the values in force, with secrets hidden.

Numbers are integers in digits. A limit of 0 disables the limit, and a retention time of 0 keeps the content permanently.

[Operating a server](../operating.md) has what a row cannot say: [the database and the storage](../operating.md#the-database),
[uploads](../operating.md#uploads), [Redis](../operating.md#redis), [a proxy](../operating.md#behind-a-proxy),
[shutdown](../operating.md#start-readiness-shutdown). \`DATABASE_URL\` and \`REDIS_URL\` may contain a password, which no log and no command
shows.`;
