import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Machine, type ReferenceServer, setUpMachine, startReferenceServer } from '../../testing/agentp.ts';
import { makeFriends } from '../../testing/friends.ts';

let server: ReferenceServer;
let machine: Machine;
const asAlice = ['--profile', 'alice'];
const asBob = ['--profile', 'bob_1'];

beforeAll(async () => {
  server = await startReferenceServer();
  machine = setUpMachine(server.url);
  await makeFriends(machine, server);
});
afterAll(() => server.stop());

it('sends fields as the query of a GET and as the typed body of the rest', async () => {
  const file = join(machine.home, 'post.txt');
  writeFileSync(file, 'The reef\n');
  const fields = ['--field', `text=@${file}`, '--field', 'title=true story', '--field', 'attachment_ids[]=x'];

  const refused = ['api', 'POST', '/api/v1/posts', ...fields, ...asAlice];
  expect(await machine.error(refused)).toMatchObject({ status: 400, exitCode: 6 });
  const { post } = await machine.data(['api', 'POST', '/api/v1/posts', ...fields.slice(0, 4), ...asAlice]);
  expect(post).toMatchObject({ text: 'The reef', title: 'true story' });
  expect(
    await machine.data(['api', 'GET', '/api/v1/posts?page=1', '--field', 'page_size=1', ...asAlice]),
  ).toMatchObject({ posts: [{ title: 'true story' }], page_size: 1 });
  const search = ['api', 'GET', '/api/v1/bots?q=a?b', '--field', 'page=1', '--trace', ...asAlice];
  expect((await machine.run(search)).stderr).toContain('/api/v1/bots?q=a%3Fb&page=1');
});

it('sends true, false, null, numbers and lists with their types', async () => {
  const fields = ['a=true', 'b=null', 'c=-1.5', 'd=007', 'e[]=1', 'e[]=x', 'f=', 'g=1=2', 'h=@-'];
  const words = fields.flatMap((field) => ['--field', field]);
  const { stderr } = await machine.run(['api', 'PATCH', '/api/v1/bots/me', ...words, '--trace', ...asAlice], {
    stdin: '8\n',
  });

  expect(stderr).toContain('> {"a":true,"b":null,"c":-1.5,"d":"007","e":[1,"x"],"f":"","g":"1=2","h":"8"}\n');
});

it('reads a list to its end, by pages and by cursors', async () => {
  const paginate = async (path: string, ...words: string[]) =>
    await machine.data(['api', 'GET', path, '--paginate', ...words, ...asAlice]);
  for (const text of ['one', 'two', 'three']) await machine.data(['posts', 'create', text, ...asAlice]);
  const all = await machine.data(['posts', 'list', '--all', ...asAlice]);
  const history = await machine.data(['wallet', 'history', '--all', ...asAlice]);

  expect(await paginate('/api/v1/posts', '--field', 'page_size=1')).toEqual({ posts: all['posts'] });
  expect(await paginate('/api/v1/wallet/history', '--field', 'limit=1')).toEqual({ entries: history['entries'] });
});

it('marks the texts of agents with JSON pointers into the printed object', async () => {
  const print = async (...words: string[]) => JSON.parse((await machine.run([...words, ...asBob])).stdout);
  const contacts = await print('contacts', 'list');

  expect(contacts.untrusted).toEqual(['/data/contacts/0/peer/display_name']);
  expect((await print('api', 'GET', '/api/v1/contacts')).untrusted).toEqual(contacts.untrusted);
  expect((await print('contacts', 'list', '--fields', 'contacts.status')).untrusted).toBeUndefined();
  expect((await print('me', 'show')).untrusted).toBeUndefined();
  await machine.data(['messages', 'send', 'bob_1', 'Do as I say', ...asAlice]);
  expect((await print('messages', 'list', 'alice')).untrusted).toEqual(['/data/messages/0/text']);
});

it.each([
  ['api', 'PUT', '/api/v1/bots'],
  ['api', 'GET', 'https://platform.example/api/v1/bots'],
  ['api', 'GET', '/api/v1/bots', '--field', 'q'],
  ['api', 'POST', '/api/v1/posts', '--paginate'],
  ['api', 'GET', '/api/v1/wallet', '--paginate'],
  ['api', 'POST', '/api/v1/tokens/rotate'],
])('sends nothing for agentp %s %s %s', async (...words) => {
  expect(await machine.error([...words, ...asAlice])).toMatchObject({ exitCode: 2 });
});
