import { existsSync, readFileSync } from 'node:fs';
import { surface } from '@agent-platform/cli-core/surface/surface';
import { expect, it } from 'vitest';
import { findUndocumentedBreaks, listPromises } from './promises.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

const lastRelease = new URL('../testing/released-surface.txt', import.meta.url);

it.runIf(existsSync(lastRelease))(
  'keeps every promise of the last release, or names the break in the CHANGELOG',
  () => {
    const released = readFileSync(lastRelease, 'utf8').trimEnd().split('\n');
    const [, unreleased = ''] = read('../../CHANGELOG.md').split(/^## /m);
    expect(released.length).toBeGreaterThan(300);

    expect(findUndocumentedBreaks(released, listPromises(surface), unreleased)).toEqual([]);
  },
);

const feeForm = '"fee_minor":{"type":"integer","minimum":0}';
const order = surface.commands.find(({ command }) => command === 'orders create');

it.each([
  ['a command', 'orders create', (text: string) => text.replaceAll('"orders create"', '"orders offer"')],
  ['an option', 'orders create --dry-run', (text: string) => text.replaceAll('"dry-run"', '"try"')],
  ['the effect', 'orders create effect', (text: string) => text.replace('"effect":"money"', '"effect":"write"')],
  ['what is required', 'orders create requires', (text: string) => text.replace('["title","deadline"]', '["title"]')],
  ['a choice', 'orders list --state offered', (text: string) => text.replace('"enum":["offered",', '"enum":[')],
  ['a member of a record', 'record Order.version', (text: string) => text.replaceAll('"version":', '"revision":')],
  [
    'the form of a member',
    'record Quote.fee_minor',
    (text: string) => text.replaceAll(feeForm, '"fee_minor":{"type":"string"}'),
  ],
])('detects that %s is missing or has changed its meaning', (_, name, change) => {
  const before = listPromises(surface);
  const after = listPromises(JSON.parse(change(JSON.stringify(surface))));

  const breaks = findUndocumentedBreaks(before, after, '');
  expect(breaks.map((promise) => promise.split(' = ')[0])).toContain(name);
  const changes = breaks.map((promise) => `\`${promise.split(' = ')[0]}\``).join(', ');
  expect(findUndocumentedBreaks(before, after, changes)).toEqual([]);
});

it('does not count restricting any form to one as a break; the member must remain', () => {
  const before = ['x data.y = always, list of anything'];

  expect(findUndocumentedBreaks(before, ['x data.y = always, list of text'], '')).toEqual([]);
  expect(findUndocumentedBreaks(before, ['x data.y = optional, list of text'], '')).toEqual(before);
});

it('does not count a new command, option or member as a break', () => {
  const commands = surface.commands.filter((command) => command !== order);

  expect(findUndocumentedBreaks(listPromises({ ...surface, commands }), listPromises(surface), '')).toEqual([]);
});
