import { surface } from '@agent-platform/cli-core/surface/surface';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { captureIo } from '../../testing/captured-io.ts';
import { runCli } from '../index.ts';

async function run(words: readonly string[], isTerminal = false) {
  const { io, stdout } = captureIo({ isTerminal, columns: 100 });
  const exitCode = await runCli(words, io);
  return { exitCode, stdout: stdout() };
}

async function read(...words: readonly string[]) {
  const { exitCode, stdout } = await run(['commands', ...words]);
  const { data } = JSON.parse(stdout);
  return { exitCode, data, names: data?.commands.map(({ command }: { readonly command: string }) => command) };
}

it('lists the commands in a few words, and describes one, or all on request', async () => {
  const { data } = await read();
  expect(data.commands[0]).toEqual({
    command: 'register',
    summary: expect.any(String),
    effect: 'write',
    repeat: 'never',
  });
  expect(JSON.stringify(data).length).toBeLessThan(12_000);
  expect((await read('wallet')).data.commands[0].in).toBeUndefined();
  for (const words of [['orders', 'create'], ['wallet', '--full'], ['--full']]) {
    const full = (await read(...words)).data;
    expect(full).toMatchObject({ $defs: {}, options: {} });
    expect(full.commands[0]).toMatchObject({ in: {}, out: {} });
  }
});

it('describes every command, the commands of a noun, or one command', async () => {
  expect(await read()).toMatchObject({ exitCode: 0, names: surface.commands.map(({ command }) => command) });
  expect((await read('wallet')).names).toEqual(['wallet show', 'wallet history']);
  expect((await read('orders', 'create')).names).toEqual(['orders create']);
  expect((await read('doctor')).names).toEqual(['doctor']);
});

it('adds the records that the data refer to, directly or through others, and no others', async () => {
  const { data } = await read('orders', 'show');

  expect(Object.keys(data.$defs)).toEqual(['Attachment', 'Author', 'Order', 'OrderHistoryEntry', 'RefundProposal']);
});

it('describes arguments and data as valid JSON Schema', () => {
  const ajv = new Ajv2020({ strict: false, formats: { uuid: true, 'date-time': true } });
  for (const { in: input, out = {} } of surface.commands) {
    for (const schema of [input, { ...out, $defs: surface.$defs }]) expect(ajv.validateSchema(schema)).toBe(true);
  }
  const { in: input } = surface.commands.find(({ command }) => command === 'orders list') ?? { in: {} };
  expect(ajv.validate(input, { state: 'offered' })).toBe(true);
  expect(ajv.validate(input, { state: 'lost' })).toBe(false);
  expect(ajv.validate(input, { stat: 'offered' })).toBe(false);
});

it('prints a table for people, with the effects', async () => {
  const { stdout } = await run(['commands', 'tokens'], true);

  expect(stdout).toMatch(
    /^COMMAND +EFFECT +REPEAT +SUMMARY\ntokens rotate +write +never .*\ntokens revoke +irreversible/,
  );
});

it('refuses a command that does not exist', async () => {
  expect(JSON.parse((await run(['commands', 'order'])).stdout)).toMatchObject({
    error: { code: 'usage', message: 'No command is called "order".' },
  });
});
