import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakePlatform } from '@agent-platform/sdk/testing';
import { beforeEach, expect, it } from 'vitest';
import { call, connect, type Json, makeFolder, openServer, refusal } from '../../testing/connect.ts';
import { allTools } from '../tools/all-tools.ts';
import { type ActClass, Input } from '../tools/tool.ts';

const deadline = new Date(Date.now() + 86_400_000).toISOString();
// Every text of the test has the mark, and signs that could end a quotation.
const mark = (name: string) => `@${name} "quoted" \\ done.`;
const texts = ['display_name', 'specialty', 'bio', 'character_description'];
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
);

async function makeAgents() {
  const platform = new FakePlatform();
  const [alice, bob] = [
    await platform.agent('alice', { creditsMinor: 100_000 }),
    await platform.agent('bob', { creditsMinor: 1_000 }),
  ];
  const carol = await platform.agent('carol', { profile: { profile_public: true } });
  await platform.befriend(alice, bob);
  const filesFolder = makeFolder();
  writeFileSync(join(filesFolder, '@slip.sh'), '%PDF-1.4\n');
  writeFileSync(join(filesFolder, '@face.png'), png);
  const questions: string[] = [];
  let answer: 'accept' | 'decline' = 'accept';
  let meanwhile: (() => PromiseLike<unknown>) | undefined;
  const start = async (allowed: readonly ActClass[] = []) =>
    await connect(
      await openServer(alice, { filesFolder, policy: { allowed: new Set(allowed) } }),
      'modern',
      async (asked) => {
        questions.push(asked);
        await meanwhile?.();
        return { action: answer, content: { confirm: true } };
      },
    );
  const client = await start();
  const fileIds: string[] = [];
  const upload = async (purpose: string, path = '@face.png'): Promise<string> => {
    const { file } = await call(client, 'files_upload', { path, purpose });
    fileIds.push(Object(file).id);
    return Object(file).id;
  };
  /** The texts that the other agents can read, and the ids of the files. */
  const readable = async () => {
    const reads = [bob.bots.get('alice'), bob.orders.list(), bob.contacts.list(), carol.contacts.list()];
    const files = fileIds.map(async (id) => [(await bob.attachments.get(id)).id]);
    const read = await Promise.all([...reads, ...files].map((sent) => Promise.resolve(sent).catch(() => null)));
    return new Set(stringsIn(read).filter((text) => text.includes('@') || fileIds.includes(text)));
  };
  /** Declines an act and then confirms it; returns the question, which must show all that others can read by it. */
  const confirm = async (tool: string, args: Json, fresh: number) => {
    const before = await readable();
    answer = 'decline';
    expect(await refusal(client, tool, args)).toMatchObject({ code: 'not_confirmed' });
    expect(await readable(), tool).toEqual(before);
    answer = 'accept';
    await call(client, tool, args);
    const question = String(questions.at(-1));
    const added = [...(await readable())].filter((text) => !before.has(text));
    expect(added.length, added.join(' | ')).toBe(fresh);
    for (const text of added) expect(question).toContain(fileIds.includes(text) ? '"path":' : JSON.stringify(text));
    return { question };
  };
  const during = (act: typeof meanwhile) => {
    meanwhile = act;
  };
  return { alice, bob, client, start, filesFolder, upload, confirm, questions, during };
}

const stringsIn = (value: unknown): readonly string[] =>
  typeof value === 'string' ? [value] : Object.values(Object(value ?? {})).flatMap(stringsIn);

let given: Awaited<ReturnType<typeof makeAgents>>;
beforeEach(async () => {
  given = await makeAgents();
});

const profile = Object.fromEntries(texts.map((name) => [name, mark(name)]));

it('shows every stored text, post and picture that opening the profile publishes', async () => {
  const { client, upload, confirm } = given;
  await call(client, 'me_update', { profile_public: true });
  const post = { title: mark('title'), text: mark('text'), visibility: 'public', rights_confirmed: true };
  await confirm('posts_create', { ...post, attachment_ids: [await upload('portfolio', '@slip.sh')] }, 3);
  await call(client, 'me_update', { ...profile, profile_public: false });
  await call(client, 'me_update', { avatar_attachment_id: await upload('avatar'), rights_confirmed: true });
  const { question: asked } = await confirm('contacts_request', { agent: 'carol' }, 0);
  expect(asked).toContain(JSON.stringify(mark('display_name')));

  const { question } = await confirm('me_update', { profile_public: true }, 7);

  for (const text of Object.values(profile)) expect(question).toContain(JSON.stringify(text));
  const picture = { character_attachment_id: await upload('character'), rights_confirmed: true };
  await confirm('me_update', { bio: mark('other'), ...picture }, 2);
});

it('shows every text and file of an order, with the path, the size and the receiver', async () => {
  const { alice, bob, upload, confirm, filesFolder } = given;
  const terms = { title: mark('title'), description: mark('description'), deadline, amount_minor: 100 };
  const slip = async () => [await upload('order', '@slip.sh')];
  const offer = { ...terms, customer: 'bob', input_attachment_ids: await slip() };
  const order = { ...terms, contractor: 'bob', input_attachment_ids: await slip() };
  const taken = await bob.orders.create({ ...terms, contractor_id: 'alice', confirmed_total_minor: 110 });
  const { id, version } = await alice.orders.start(await alice.orders.accept(taken));
  const result = { result_text: mark('result'), result_attachment_ids: await slip() };

  const { question } = await confirm('orders_create', offer, 2);
  await confirm('orders_create', order, 1);
  await confirm('orders_deliver', { order_id: id, version, ...result }, 2);

  const path = JSON.stringify(join(filesFolder, '@slip.sh'));
  expect(question).toContain(`that the agent bob (${(await bob.bots.me()).id}) can read`);
  expect(question).toContain(`{"name":"@slip.sh.pdf","bytes":9,"path":${path}}`);
});

it('shows the terms and the result that another agent wrote, as JSON', async () => {
  const { bob, client, questions } = given;
  const file = async () => (await bob.attachments.upload(png, { purpose: 'order', filename: '@run.sh' })).id;
  const terms = { title: mark('title'), description: mark('description'), deadline, amount_minor: 100 };
  const { id } = await bob.orders.create({ ...terms, customer_id: 'alice', input_attachment_ids: [await file()] });
  await call(client, 'orders_accept', { order_id: id, version: 1 });
  const started = await bob.orders.start({ id, version: 2 });
  await bob.orders.deliver(started, { result_text: mark('result'), result_attachment_ids: [await file()] });
  await call(client, 'orders_complete', { order_id: id, version: 4 });

  const shown = [
    [terms.title, terms.description, new Date(deadline).toISOString(), '@run.sh.png'],
    [terms.title, mark('result'), '@run.sh.png'],
  ];
  expect(questions).toEqual(shown.map(() => expect.any(String)));
  for (const [at, found] of shown.entries())
    for (const text of found) expect(questions[at]).toContain(JSON.stringify(text));
});

it('publishes nothing that changed since the question, and opens no profile without one', async () => {
  const { alice, client, during } = given;
  during(() => alice.bots.updateMe({ bio: mark('unseen') }));
  expect(await refusal(client, 'me_update', { profile_public: true })).toMatchObject({ code: 'changed_meanwhile' });
  during(undefined);
  const context = { ...(await openServer(alice)).server.context, signal: AbortSignal.timeout(120_000) };
  const tool = allTools.find(({ name }) => name === 'me_update');
  if (tool === undefined || !('plan' in tool)) throw new Error('me_update has no plan.');
  const input = new Input({ bio: mark('unasked') });
  const { classes, facts } = await tool.plan(input, context);
  await alice.bots.updateMe({ profile_public: true });
  await tool.send(input, facts, context);

  expect(classes).toEqual([]);
  expect(await alice.bots.me()).toMatchObject({ bio: mark('unasked'), profile_public: false });
});

it('refuses what one question cannot show', async () => {
  const { alice, client, questions } = given;
  await alice.bots.updateMe({ profile_public: true });
  for (let left = 13; left > 0; left -= 1) await alice.posts.create({ text: 'x'.repeat(8_000), visibility: 'public' });
  await alice.bots.updateMe({ profile_public: false });

  expect(await refusal(client, 'me_update', { profile_public: true })).toMatchObject({
    code: 'too_much_to_confirm',
    hint: expect.stringContaining('agentp me update --public'),
  });
  expect(questions).toEqual([]);
});

it('asks for files whatever else passes, and with --allow files alone for everything else', async () => {
  const { start, upload, questions } = given;
  const [publishing, sending] = [await start(['publish', 'rights']), await start(['files'])];
  const order = async () => ({ title: 'A', deadline, amount_minor: 1, input_attachment_ids: [await upload('order')] });
  await call(publishing, 'me_update', { profile_public: true });
  const post = { text: 'A', visibility: 'public', rights_confirmed: true };
  await call(publishing, 'posts_create', { ...post, attachment_ids: [await upload('portfolio')] });
  await call(publishing, 'orders_create', { ...(await order()), customer: 'bob' });
  expect(questions).toHaveLength(2);
  await call(sending, 'orders_create', { ...(await order()), customer: 'bob' });
  expect(questions).toHaveLength(2);
  await call(sending, 'orders_create', { ...(await order()), contractor: 'bob' });
  expect(questions).toHaveLength(3);
});
