import { formatTable } from '@agent-platform/contract/documents';
import { allSettings } from '../src/platform/settings/all-settings.ts';
import type { Setting } from '../src/platform/settings/setting.ts';

/** Maps a part of a setting's name to its unit. */
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
  // Formatted as code, an address with an ellipsis does not become a link.
  return [`\`${variable}\``, meaning, isUnset ? 'unset' : `\`${String(fallback)}\``, values].map((cell) =>
    cell.replaceAll(/(?<!`)\b[a-z0-9]+:\/\/[^\s;]*/g, '`$&`'),
  );
}

/** The settings that most operators choose, in the order of the production guide. */
const common = [
  ...['HOST', 'PORT', 'DATABASE_URL', 'PLATFORM_DATA_DIR', 'PLATFORM_PUBLIC_URL', 'PLATFORM_TRUST_PROXY'],
  ...['PLATFORM_REGISTRATION_MODE', 'PLATFORM_FEE_BPS', 'PLATFORM_STORAGE_URL', 'PLATFORM_BACKUP_DIR'],
  ...['PLATFORM_OPERATOR_NAME', 'PLATFORM_CONTACT', 'LOG_LEVEL'],
];

/** Prints every setting with its meaning, default, permitted values and unit; the most common settings come first. */
export function printSettings(): string {
  const settings = Object.values<Setting<unknown>>(allSettings);
  const first = common.map((name) => settings.find(({ variable }) => variable === name));
  const others = settings.filter(({ variable }) => !common.includes(variable));
  const print = (shown: readonly (Setting<unknown> | undefined)[]) =>
    formatTable(
      ['variable', 'meaning', 'default', 'values'],
      shown.filter((setting) => setting !== undefined).map(listCells),
    );
  return `${[
    '# Settings',
    introduction,
    ...['## Settings that most operators choose', print(first)],
    ...['## All other settings', 'The defaults suit most servers.', print(others)],
  ].join('\n\n')}\n`;
}

const introduction = `Find the environment variables (env variables) that configure a server. Printed by \`npm run generate\` from \`server/src/platform/settings/all-settings.ts\`, which the server reads.

Settings are environment variables that the server reads once, at startup. An invalid value stops the server before it changes anything,
with exit code 2 and a list of all errors. An empty variable counts as unset. The log and \`operator doctor\` report variables that begin
with \`PLATFORM_\` but are not settings, most of which are misspellings. \`operator config\` shows the effective values, with secrets hidden.

Numbers are integers, written in digits. A limit of 0 disables the limit, and a retention time of 0 keeps the content permanently.

[Operate a server](../operating.md) links to the pages that explain the settings: [the database and the storage](../operating/database.md),
[uploads](../operating/uploads.md#uploads), [Redis](../operating/capacity.md#redis), [a proxy](../operating/proxy.md),
[shutdown](../operating/start-and-stop.md#start-readiness-shutdown). \`DATABASE_URL\` and \`REDIS_URL\` may contain a password, which neither the log nor any
command shows.`;
