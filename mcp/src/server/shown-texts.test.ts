import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakePlatform } from '@agent-platform/sdk/testing';
import { type ActClass, allTools, ToolInput } from '@agent-platform/sdk/tools';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import { callExpectingRefusal, callOk, connect, type Json, openToolServer } from '../../testing/connect.ts';

const deadline = new Date(Date.now() + 86_400_000).toISOString();
// Every text of the test contains an @, and characters that could end a quotation.
const mark = (name: string) => `@${name} "quoted" \\ done.`;
const names = ['display_name', 'specialty', 'bio', 'character_description'];
const profile = Object.fromEntries(names.map((name) => [name, mark(name)]));
const jpeg = Buffer.from('ffd8ff', 'hex');

async function makeAgents() {
  const platform = new FakePlatform();
  const alice = await platform.agent('alice', { creditsMinor: 100_000 });
  const bob = await platform.agent('bob', { creditsMinor: 1_000 });
  const carol = await platform.agent('carol', { profile: { profile_public: true } });
  await platform.befriend(alice, bob);
  const filesFolder = makeTestFolder();
  writeFileSync(join(filesFolder, '@slip.sh'), '%PDF-1.4\n');
  writeFileSync(join(filesFolder, '@face.jpg'), jpeg);
  const questions: string[] = [];
  const person = { answer: 'accept' as 'accept' | 'decline', before: (): PromiseLike<unknown> => Promise.resolve() };
  const start = async (...allowed: ActClass[]) => {
    const opened = await openToolServer(alice, { filesFolder, policy: { allowed: new Set(allowed) } });
    return await connect(opened, 'modern', async (asked) => {
      questions.push(asked);
      await person.before();
      return { action: person.answer, content: {} };
    });
  };
  const client = await start();
  const fileIds: string[] = [];
  const upload = async (purpose: string, path = '@face.jpg'): Promise<string> => {
    const { file } = await callOk(client, 'files_upload', { path, purpose });
    fileIds.push(Object(file).id);
    return Object(file).id;
  };
  /** Returns the texts and file ids that the other agents can read. */
  const readable = async () => {
    const reads = [bob.bots.get('alice'), bob.orders.list(), bob.contacts.list(), carol.contacts.list()];
    const files = fileIds.map(async (id) => [(await bob.attachments.get(id)).id]);
    const read = await Promise.all([...reads, ...files].map((sent) => Promise.resolve(sent).catch(() => null)));
    return new Set(stringsIn(read).filter((text) => text.includes('@') || fileIds.includes(text)));
  };
  /** Declines an act, then confirms it. Returns the question, which must show every text that becomes readable. */
  const confirm = async (tool: string, args: Json, fresh: number) => {
    const before = await readable();
    person.answer = 'decline';
    expect(await callExpectingRefusal(client, tool, args)).toMatchObject({ code: 'not_confirmed' });
    expect(await readable(), tool).toEqual(before);
    person.answer = 'accept';
    await callOk(client, tool, args);
    const question = String(questions.at(-1));
    const added = [...(await readable())].filter((text) => !before.has(text));
    expect(added.length, added.join(' | ')).toBe(fresh);
    for (const text of added) expect(question).toContain(fileIds.includes(text) ? '"paths":["' : JSON.stringify(text));
    return question;
  };
  return { alice, bob, client, start, filesFolder, upload, confirm, questions, person };
}

const stringsIn = (value: unknown): readonly string[] =>
  typeof value === 'string' ? [value] : Object.values(Object(value ?? {})).flatMap(stringsIn);

it('shows every stored text, post and picture that opening the profile publishes', async () => {
  const { client, upload, confirm } = await makeAgents();
  await callOk(client, 'me_update', { profile_public: true });
  const post = { title: mark('title'), text: mark('text'), visibility: 'public', rights_confirmed: true };
  await confirm('posts_create', { ...post, attachment_ids: [await upload('portfolio', '@slip.sh')] }, 3);
  await callOk(client, 'me_update', { ...profile, profile_public: false });
  await callOk(client, 'me_update', { avatar_attachment_id: await upload('avatar'), rights_confirmed: true });
  const request = await confirm('contacts_request', { agent: 'carol' }, 0);
  expect(request).toContain(JSON.stringify(mark('display_name')));

  const question = await confirm('me_update', { profile_public: true }, 7);

  for (const text of Object.values(profile)) expect(question).toContain(JSON.stringify(text));
  const picture = { character_attachment_id: await upload('character'), rights_confirmed: true };
  await confirm('me_update', { bio: mark('other'), ...picture }, 2);
});

it('shows every text and file of an order, with the path, the size and the receiver', async () => {
  const { alice, bob, upload, confirm, filesFolder } = await makeAgents();
  const terms = { title: mark('title'), description: mark('description'), deadline, amount_minor: 100 };
  const slip = async () => [await upload('order', '@slip.sh')];
  const offer = { ...terms, customer_id: 'bob', input_attachment_ids: await slip() };
  const order = { ...terms, contractor_id: 'bob', input_attachment_ids: await slip() };
  const other = { title: 'A', deadline, amount_minor: 100 };
  const taken = await bob.orders.create({ ...other, contractor_id: 'alice', confirmed_total_minor: 110 });
  const { id, version } = await alice.orders.start(await alice.orders.accept(taken));
  const result = { result_text: mark('result'), result_attachment_ids: await slip() };

  const question = await confirm('orders_create', offer, 4);
  await confirm('orders_create', order, 1);
  await confirm('orders_deliver', { order_id: id, expected_version: version, ...result }, 2);

  const path = JSON.stringify(join(filesFolder, '@slip.sh'));
  expect(question).toContain(`for the agent bob (${(await bob.bots.me()).id})`);
  expect(question).toContain(`{"name":"@slip.sh.pdf","bytes":9,"paths":[${path}]}`);
});

it('shows every path of the same bytes, even after a download', async () => {
  const { client, upload, confirm, filesFolder } = await makeAgents();
  const attachment_id = await upload('order', '@slip.sh');
  const { path } = await callOk(client, 'files_download', { attachment_id, path: 'own.pdf' });
  const offer = { title: 'A', deadline, amount_minor: 1, customer_id: 'bob' };
  const again = await upload('order', String(path));
  const question = await confirm('orders_create', { ...offer, input_attachment_ids: [again] }, 1);

  const paths = ['@slip.sh', 'received/own.pdf'].map((name) => join(filesFolder, name));
  expect(question).toContain(`"paths":${JSON.stringify(paths)}`);
});

it('shows the terms and the result that another agent wrote, as JSON', async () => {
  const { bob, client, questions } = await makeAgents();
  const file = async () => (await bob.attachments.upload(jpeg, { purpose: 'order', filename: '@run.sh' })).id;
  const terms = { title: mark('title'), description: mark('description'), deadline, amount_minor: 100 };
  const { id } = await bob.orders.create({ ...terms, customer_id: 'alice', input_attachment_ids: [await file()] });
  await callOk(client, 'orders_accept', { order_id: id, expected_version: 1 });
  const started = await bob.orders.start({ id, version: 2 });
  await bob.orders.deliver(started, { result_text: mark('result'), result_attachment_ids: [await file()] });
  await callOk(client, 'orders_complete', { order_id: id, expected_version: 4 });

  for (const text of [terms.title, terms.description, deadline, '@run.sh.jpg'])
    expect(questions[0]).toContain(JSON.stringify(text));
  for (const text of [terms.title, mark('result'), '@run.sh.jpg']) expect(questions[1]).toContain(JSON.stringify(text));
});

it('publishes nothing that changed since the question, and makes no profile public without a question', async () => {
  const { alice, client, person } = await makeAgents();
  person.before = () => alice.bots.updateMe({ bio: mark('unseen') });
  expect(await callExpectingRefusal(client, 'me_update', { profile_public: true })).toMatchObject({
    code: 'changed_meanwhile',
  });
  const context = { ...(await openToolServer(alice)).server.context, signal: AbortSignal.timeout(120_000) };
  const tool = allTools.find(({ name }) => name === 'me_update');
  if (tool === undefined || !('plan' in tool)) throw new Error('me_update has no plan.');
  const input = new ToolInput({ bio: mark('unasked') });
  const { classes, facts } = await tool.plan(input, context);
  await alice.bots.updateMe({ profile_public: true });
  await tool.send(input, facts, context);

  expect(classes).toEqual([]);
  expect(await alice.bots.me()).toMatchObject({ bio: mark('unasked'), profile_public: false });
});

it('stores an act that a form cannot show', async () => {
  const { alice, client, questions } = await makeAgents();
  await alice.bots.updateMe({ profile_public: true });
  for (let left = 13; left > 0; left -= 1) await alice.posts.create({ text: 'x'.repeat(8_000), visibility: 'public' });
  await alice.bots.updateMe({ profile_public: false });

  expect(await callOk(client, 'me_update', { profile_public: true })).toMatchObject({
    approval: { state: 'waiting' },
  });
  expect(questions).toEqual([]);
});

it('asks about files even if other classes are allowed, unless --allow files is given', async () => {
  const { start, upload, questions } = await makeAgents();
  const publishing = await start('publish', 'rights');
  await callOk(publishing, 'me_update', { profile_public: true });
  const post = { text: 'A', visibility: 'public', rights_confirmed: true };
  await callOk(publishing, 'posts_create', { ...post, attachment_ids: [await upload('portfolio')] });
  const order = { title: 'A', deadline, amount_minor: 1, input_attachment_ids: [await upload('order')] };
  const sending = await start('files');
  await callOk(sending, 'orders_create', { ...order, customer_id: 'bob' });
  expect(questions).toEqual([expect.stringMatching(/^Publish/)]);
});
