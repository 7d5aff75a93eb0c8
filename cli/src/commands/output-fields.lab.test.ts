import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { refuseUnknownFields } from '@agent-platform/cli-core/output/output-fields';
import { surface } from '@agent-platform/cli-core/surface/surface';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Json,
  type Machine,
  type ReferenceServer,
  setUpMachine,
  startReferenceServer,
} from '../../testing/agentp.ts';
import { makeFriends } from '../../testing/friends.ts';
import { proposeAct } from '../../testing/propose-act.ts';
import { runOrderCommands } from '../../testing/run-order-commands.ts';
import { commands } from './catalogue.ts';

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let server: ReferenceServer;
let machine: Machine;

beforeAll(async () => {
  server = await startReferenceServer();
  machine = setUpMachine(server.url);
});
afterAll(() => server.stop());

const asPerson = { isTerminal: true, stdin: 'yes\n' };
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

function findFaults(schema: object, data: Json): readonly string[] {
  ajv.validate(schema, data);
  return (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// `orders watch` prints several lines with the same fields; the first line is sufficient.
async function show(words: readonly string[]): Promise<Json> {
  if (words[1] !== 'watch') return await machine.data(words);
  const { stdout } = await machine.run(words);
  return readLine(stdout.split('\n')[0] ?? '');
}

/** The data of a line, without the `untrusted` marks. */
function readLine(line: string): Json {
  const { untrusted: _, ...data } = JSON.parse(line);
  return data;
}

function pathsOf(data: Json): string[] {
  return Object.entries(data).flatMap(([name, value]) => {
    const inside = (Array.isArray(value) ? value : [value]).filter(isRecord).flatMap(pathsOf);
    return [name, ...inside.map((path) => `${name}.${path}`)];
  });
}

type Run = (...words: string[]) => Promise<Json>;

/** Runs the commands for contacts, messages and events as Alice, the current profile; Bob becomes her friend. */
async function useFriends(run: Run, shown: Map<string, readonly Json[]>): Promise<void> {
  const asBob = ['--profile', 'bob'];
  await machine.data(['register', '--handle', 'bob', '--display-name', 'Bob', '--public']);
  await machine.data(['contacts', 'request', 'alice', ...asBob]);
  await run('contacts', 'request', 'bob');
  await run('contacts', 'list');
  await run('contacts', 'accept', 'bob');
  await run('contacts', 'fingerprint', 'bob');
  const { id } = await run('messages', 'send', 'bob', 'Hello');
  await run('messages', 'list', 'bob');
  await run('messages', 'show', 'bob', String(id));
  await run('messages', 'resume');
  const { stdout } = await machine.run(['chat', 'bob'], { stdin: 'One line' });
  shown.set('chat', [readLine(stdout.split('\n')[0] ?? '')]);
  await machine.data(['messages', 'send', 'alice', 'Hello', ...asBob]);
  const ending = new AbortController();
  const listening = machine.run(['events', 'listen', '--open'], { signal: ending.signal });
  await expect.poll(async () => (await machine.data(['events', 'list']))['events']).toHaveLength(2);
  await run('events', 'list');
  ending.abort(new Error('enough'));
  const lines = (await listening).stdout.split('\n').filter((line) => line.includes('"kind"'));
  shown.set('events listen', lines.map(readLine));
  const { event } = await run('events', 'next', '--open');
  const eventId = isRecord(event) ? String(event['event_id']) : '';
  await run('events', 'done', eventId);
  await run('events', 'replay', eventId);
  await run('contacts', 'block', 'bob', '--yes');
}

it('prints data that match their schema, and accepts each of their fields in --fields', async () => {
  const shown = new Map<string, readonly Json[]>();
  const run = async (...words: string[]): Promise<Json> => {
    const data = await show(words);
    const command = commands.find(({ path }) => words.slice(0, path.length).join(' ') === path.join(' '));
    if (command === undefined) throw new Error(`No command in "${words.join(' ')}".`);
    const name = command.path.join(' ');
    shown.set(name, [...(shown.get(name) ?? []), data]);
    return data;
  };
  await run('register', '--handle', 'alice', '--display-name', 'Alice', '--public', '--show-token');
  await run('profiles', 'use', 'alice');
  await run('profiles', 'list');
  await run('config', 'list');
  await run('config', 'set', 'timeout', '60');
  await run('config', 'get', 'timeout');
  const { id: botId } = await run('me', 'show');
  const picture = join(machine.home, 'dot.png');
  await writeFile(picture, Buffer.from(onePixel, 'base64'));
  await run('me', 'update', '--bio', 'new', '--avatar', picture, '--rights-confirmed');
  const { id: fileId } = await run('files', 'upload', picture, '--purpose', 'portfolio');
  await run('files', 'show', String(fileId));
  await run('files', 'download', String(fileId), '--to', join(machine.home, 'saved.png'));
  const attach = ['--attachment', String(fileId), '--rights-confirmed'];
  const { id: postId } = await run('posts', 'create', 'A text.', '--public', ...attach);
  await run('posts', 'update', String(postId), 'Another text.');
  await run('posts', 'show', String(postId));
  await run('posts', 'list');
  await run('bots', 'list');
  await run('api', 'GET', '/api/v1/bots');
  await run('bots', 'show', String(botId));
  await run('posts', 'delete', String(postId), '--yes');
  const { bobId: contractorId } = await makeFriends(machine, server, ['payer', 'worker']);
  await runOrderCommands(run, { customer: 'payer', contractor: 'worker', contractorId, picture });
  await run('doctor');
  await run('commands', 'wallet');
  await useFriends(run, shown);
  for (const decision of ['approve', 'refuse'] as const) {
    const id = await proposeAct(machine.home, 'alice', decision);
    await run('approvals', 'list');
    await run('approvals', 'show', id);
    if (decision === 'refuse') await run('approvals', 'refuse', id);
    else shown.set('approvals approve', [await machine.data(['approvals', 'approve', id, '--json'], asPerson)]);
  }
  await run('tokens', 'rotate', '--show-token');
  await run('whoami', '--check', '--show-token');
  const secret = { env: { AGENTP_PASSPHRASE: 'a heron on the lake' } };
  const exported = join(machine.home, 'mover.profile');
  // Registers a new agent, because the commands above still have the other agents' states open in this process.
  await machine.data(['register', '--handle', 'mover', '--display-name', 'Mover']);
  const words = ['profiles', 'export', exported, '--profile', 'mover'];
  shown.set('profiles export', [await machine.data(words, secret)]);
  shown.set('profiles import', [await machine.data(['profiles', 'import', exported], secret)]);
  await run('tokens', 'revoke', '--yes');
  // `dev` also prints a first line; the test of that command checks it, because it needs a server.
  shown.set('dev', [{ status: 'removed' }]);

  for (const { command, prints, out } of surface.commands) {
    if (prints === 'text') continue;
    const data = shown.get(command) ?? [];
    expect(data, command).not.toEqual([]);
    for (const found of data) expect(findFaults({ ...out, $defs: surface.$defs }, found), command).toEqual([]);
    expect(() => refuseUnknownFields(data.flatMap(pathsOf), out ?? {}, surface.$defs, command)).not.toThrow();
  }
});
