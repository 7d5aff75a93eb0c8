import { readdirSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openEmbeddedStore } from '../../testing/embedded-store.ts';
import { allSettings } from '../platform/settings/all-settings.ts';
import type { Setting } from '../platform/settings/setting.ts';
import { allCommands } from './commands/all-commands.ts';
import { doctorHelpEntry } from './doctor.ts';

const read = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
/** Returns the first cell of each row in the table below a heading. */
function firstCells(page: string, heading: string): readonly string[] {
  const section = read(page).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('`')[1] ?? '');
}

describe('the pages on operating', () => {
  it('list every table of the database, and no other', async () => {
    const store = await openEmbeddedStore();
    const { rows } = await store.read((reader) =>
      sql<{ name: string }>`
        select table_name as name from information_schema.tables where table_schema = 'public'`.execute(reader),
    );
    await store.close();

    expect(firstCells('reference/stored-data.md', 'What the database keeps').toSorted()).toEqual(
      rows.map(({ name }) => name).toSorted(),
    );
  });

  it('list every command of the operator, and no other', () => {
    const listed = firstCells('reference/operator.md', 'Commands').map((cell) => cell.replace(/ [<[].*$/, ''));

    expect(listed.toSorted()).toEqual([...allCommands, doctorHelpEntry].map(({ name }) => name).toSorted());
  });
});

describe('the page of limits', () => {
  it('names settings with the values that it shows as defaults', () => {
    const defaults = new Map<string, unknown>(
      Object.values<Setting<unknown>>(allSettings).map(({ variable, fallback }) => [variable, fallback]),
    );
    const rows = [...read('reference/limits.md').matchAll(/^\| `\w+` \| ([\d,]+) \|.*\| `(PLATFORM_\w+)` \|$/gm)];

    expect(rows.length).toBeGreaterThan(20);
    for (const [, value = '', variable = ''] of rows) {
      expect(defaults.get(variable), variable).toBe(Number(value.replaceAll(',', '')));
    }
  });
});

// Selects the browser for browser tests.
const otherVariables = ['PLATFORM_CHROMIUM'];

describe('every page of the documentation', () => {
  it('names no setting that does not exist', () => {
    const settings = Object.values<Setting<unknown>>(allSettings).map(({ variable }) => variable);
    const known = new Set<string>([...settings, ...otherVariables]);
    const pages = readdirSync(new URL('../../../docs', import.meta.url), { recursive: true, encoding: 'utf8' });
    const unknown = pages
      .filter((name) => name.endsWith('.md'))
      .flatMap((name) =>
        (read(name).match(/PLATFORM_[A-Z0-9]+(_[A-Z0-9]+)*/g) ?? []).map((variable) => ({ name, variable })),
      )
      .filter(({ variable }) => !known.has(variable));

    expect(unknown).toEqual([]);
  });
});
