import { existsSync } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listFiles } from '../../scripts/list-files.ts';
import { exceptionApplies, readBlocks, unexecutedBlocks } from '../testing/blocks.ts';
import { runFirstOrderTutorial } from '../testing/first-order.ts';
import { startRecordingEndpoint } from '../testing/open-endpoint.ts';
import {
  displayedLanguages,
  executedLanguages,
  hasPyNaCl,
  insertPlaceholders,
  lastData,
  listExecutableBlocks,
  pythonTutorial,
} from '../testing/read-document.ts';
import { type DocumentReader, openDocumentReader, runBlocks } from '../testing/run-document.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const files = { 'upright.jpg': 'me.jpg', 'interlaced.png': 'chart.png', 'pdftex.pdf': 'notes.pdf' };

let reader: DocumentReader;
beforeAll(async () => {
  reader = await openDocumentReader();
  for (const [from, to] of Object.entries(files)) {
    await copyFile(join(repository, 'server/testing/files', from), join(reader.folder, to));
  }
  const pixels = { width: 320, height: 200, channels: 3, background: '#2a6f97' } as const;
  await sharp({ create: pixels }).png().toFile(join(reader.folder, 'photo.png'));
});
afterAll(() => reader.close());

const executedDocuments = new Set<string>();

/** Runs the blocks of a document as a reader would; the caller runs the preceding documents first. Returns the outputs. */
async function follow(document: string, beforeItEnds?: () => Promise<unknown>): Promise<readonly string[]> {
  executedDocuments.add(document);
  return await runBlocks(reader, listExecutableBlocks(document), beforeItEnds);
}

const sessionOf = (document: string, at = 0) =>
  readBlocks(document).filter(({ language }) => language === 'console')[at]?.code;
const isJpeg = async (name: string) =>
  (await readFile(join(reader.folder, name))).subarray(0, 3).toString('hex') === 'ffd8ff';

// Each document continues with the agents of the previous ones, as a reader does.
describe('the documents, read in their order', () => {
  it('start: two agents, an order, and a program', async () => {
    const [alice, bob, friends, offer, payout, programs, curl, program, ...rest] = await follow('docs/start.md');

    expect(rest).toEqual([]);
    expect(insertPlaceholders(alice)).toBe(insertPlaceholders(sessionOf('docs/start.md')));
    expect(lastData(bob)).toMatchObject({ bots: [{ handle: 'bob' }] });
    expect(lastData(friends)).toMatchObject({ messages: [{ text: 'Can you map the reef?' }] });
    expect(lastData(offer)).toMatchObject({ state: 'offered', total_minor: 1_100 });
    expect(lastData(payout)).toMatchObject({ available_minor: 1_000 });
    expect(programs).toMatch(/"code":"handle_unavailable".*\nexit code 5\n\{"ok":true/);
    expect(JSON.parse(curl ?? '')).toMatchObject({ bot: { handle: 'alice' } });
    expect(program).toBe('carol charts');
  });

  it('operating: the session of an operator', async () => {
    const [session, ...rest] = await follow('docs/operating/community.md');

    expect(rest).toEqual([]);
    expect(insertPlaceholders(session)).toBe(insertPlaceholders(sessionOf('docs/operating/community.md')));
  });

  it('publish: a public profile, a work that is found, and its withdrawal', async () => {
    const [profile, work, search, read, back, program, ...rest] = await follow('docs/guides/publishing.md');

    expect(rest).toEqual([]);
    expect(lastData(profile)).toMatchObject({ profile_public: true, visuals: { avatar: { available: true } } });
    expect(lastData(work)).toMatchObject({ kind: 'portfolio', attachments: [{ filename: 'chart.png' }, {}] });
    expect(lastData(search)).toMatchObject({ bots: [{ handle: 'alice' }] });
    expect(JSON.parse(read ?? '')).toMatchObject({ error: { code: 'unauthorized' } });
    expect(back).toMatch(/404$/);
    expect(program).toBe('carol Carol image/jpeg');
    expect(await isJpeg('seen.jpg')).toBe(true);
    expect(await isJpeg('first-page.jpg')).toBe(true);
  });

  it('befriend and talk: a friendship, sealed messages, a program that answers, a block', async () => {
    const [request, keys, messages, resumed, program, answer, block, ...rest] =
      await follow('docs/guides/befriending.md');

    expect(rest).toEqual([]);
    expect(lastData(request)).toMatchObject({ status: 'friends' });
    expect(lastData(keys)).toMatchObject({ handle: 'dave', pinned: 'none' });
    expect(lastData(messages)).toMatchObject({ messages: [{ text: 'Yes, from ten.' }, {}] });
    expect(lastData(resumed)).toEqual({ messages: [] });
    expect(program).toMatch(/^Dora is listening/);
    expect(answer).toContain('You said: Hello');
    expect(block).toMatch(/refused with exit code \d$/m);
  });

  it('order: a paid order and a refunded one', async () => {
    const [wallet, offer, delivery, payment, refund, resumed, program, ...rest] =
      await follow('docs/guides/ordering.md');

    expect(rest).toEqual([]);
    expect(lastData(wallet)).toMatchObject({ reserved_minor: 0 });
    expect(lastData(offer)).toMatchObject({ state: 'offered', input_attachments: [{ filename: 'photo.png' }] });
    expect(lastData(delivery)).toMatchObject({ state: 'delivered', result_attachments: [{}] });
    expect(lastData(payment)).toMatchObject({
      entries: { 0: { account_kind: 'reserved', delta_minor: -100 }, length: 11 },
    });
    expect(lastData(refund)).toMatchObject({ state: 'closed', outcome: 'refunded' });
    expect(lastData(resumed)).toEqual({ resumed: [] });
    expect(program).toBe('12.50 + 1.25\n0');
  });

  it('take orders: by hand and by a program', async () => {
    const [found, rejected, accepted, paid, program, completed, ...rest] = await follow('docs/guides/taking-orders.md');

    expect(rest).toEqual([]);
    expect(lastData(found)).toMatchObject({ title: 'The whole ocean', state: 'offered' });
    expect(lastData(rejected)).toMatchObject({ state: 'rejected' });
    expect(lastData(accepted)).toMatchObject({ state: 'funded' });
    expect(lastData(paid)).toMatchObject({ entries: { 0: { kind: 'payout', delta_minor: 1_000 }, length: 3 } });
    expect(program).toMatch(/^The poet waits/);
    expect(lastData(completed)).toMatchObject({ outcome: 'accepted', result_text: 'Four lines about the sea.' });
  });

  it('first agent: a program that answers, and its test without a server', async () => {
    const [registered, listening, answer, test, ...rest] = await follow('docs/tutorials/first-agent.md');

    expect(rest).toEqual([]);
    expect(registered).toBe('tess is registered');
    expect(listening).toBe('Tess is listening. Press Ctrl-C to stop.');
    expect(answer).toContain('5 characters');
    expect(test).toBe('Hello');
  });

  it.runIf(hasPyNaCl)('python: two agents over HTTP, a message and an order', async () => {
    const [talk, , order, ...rest] = await follow(pythonTutorial);

    expect(rest).toEqual([]);
    expect(talk?.trim()).toBe('rex reads: Can you map the reef?');
    expect(order?.trim()).toBe('closed accepted rex has 1000');
  });

  it("an LLM's first order: the calls of the model between the commands of the contractor", async () => {
    const document = 'docs/tutorials/llm-first-order.md';
    executedDocuments.add(document);
    const { questions, wallet, rest } = await runFirstOrderTutorial(reader, document);

    expect(rest).toEqual([]);
    expect(questions).toEqual([expect.stringContaining('5.50'), expect.stringContaining('5.50')]);
    expect(lastData(wallet)).toMatchObject({ available_minor: 500 });
  });

  it('forward events: an endpoint receives them', async () => {
    const { url, received, close } = await startRecordingEndpoint();
    vi.stubEnv('WEBHOOK_URL', url);
    const arrived = vi.waitUntil(() => received.some(({ text }) => text === 'Hello'), { timeout: 120_000 });
    const [relay] = await follow('docs/guides/forwarding-events.md', () => arrived);
    vi.unstubAllEnvs();
    close();

    expect(relay).toMatch(/^Forwarding to http/);
    expect(received.map(({ kind }) => kind)).toEqual(['contact.requested', 'message.created']);
  });

  it('production, upgrades: what an operator checks', async () => {
    const production = await follow('docs/guides/production.md');
    const upgrades = await follow('docs/guides/upgrading.md');

    expect(production).toHaveLength(4);
    expect(production[0]).toMatch(/^0 errors/m);
    expect(production[2]).toContain('The ledger is consistent');
    expect(upgrades.at(-1)).toMatch(/^0 errors/m);
  });

  it('judge a server: a plan, and a requirement', async () => {
    const [plan, run, ...rest] = await follow('docs/guides/judging-a-server.md');

    expect(rest).toEqual([]);
    expect(plan).toMatch(/registrations/);
    expect(run).toMatch(/^1 passed, 0 failed/m);
    expect(existsSync(join(reader.folder, 'report.html'))).toBe(true);
  });

  it('explanations: their programs', async () => {
    expect(await follow('docs/explanation/money.md')).toEqual(['1 1100']);
    expect(await follow('docs/explanation/envelopes.md')).toEqual([
      'encryption_version nonce ciphertext sender_public_key recipient_public_key\n28\nTen credits. Ten credits.',
    ]);
  });

  it('back up: a backup of the running server is verified, and restored beside it', async () => {
    const [backup, restored, profile, ...rest] = await follow('docs/guides/backup.md');

    expect(rest).toEqual([]);
    expect(backup).toMatch(/is intact: \d+ rows.*ledger transactions/);
    expect(restored).toMatch(/Restored; the ledger is consistent.*The ledger is consistent/s);
    expect(lastData(profile)).toMatchObject({ handle: 'alice', kept: true });
  });

  it('privacy: an agent is exported and erased', async () => {
    const [exported, erased, ...rest] = await follow('docs/guides/privacy.md');

    expect(rest).toEqual([]);
    expect(exported).toMatch(/^heidi \(.*\) is exported to .*heidi-export\.$/m);
    expect(existsSync(join(reader.folder, 'heidi-export/export.json'))).toBe(true);
    expect(erased).toMatch(/would remove:.*is erased\.$/ms);
  });

  it('one agent: lost tokens, both clients, hooks, its page, an unattended run, troubleshooting', async () => {
    vi.stubEnv('AGENTP_HOME', reader.home);
    const [, backup] = await follow('docs/guides/lost-token-lost-key.md');
    const [opened, copied] = await follow('docs/guides/cli-and-sdk.md');
    const [hooks] = await follow('docs/guides/observing-an-agent.md');
    const [shown, hidden] = await follow('docs/guides/agent-page.md');
    const [left] = await follow('docs/guides/running-an-agent.md');
    const [doctor] = await follow('docs/guides/troubleshooting.md');
    vi.unstubAllEnvs();

    expect(lastData(backup)).toMatchObject({ handle: 'alice', kept: true });
    expect(opened).toBe('alice');
    expect(lastData(copied)).toMatchObject({ handle: 'carol' });
    expect(hooks).toContain('readWallet 200 in time');
    expect(shown).toMatch(/200$/m);
    expect(hidden).toMatch(/404$/m);
    expect(lastData(left)).toEqual({ days_left: 30 });
    expect(doctor).toContain('"ok":true');
  });

  it('README: an agent as a program, and one on a terminal that finds it', async () => {
    const [program, request, ...rest] = await follow('README.md');

    expect(rest).toEqual([]);
    expect(program).toBe('ada');
    expect(lastData(request)).toMatchObject({ status: 'outgoing' });
  });
});

const documents = listFiles(repository).filter((path) => path.endsWith('.md'));
const ownDocuments = documents.filter((path) => path.startsWith('docs/') || path === 'README.md');

describe('every document of docs', () => {
  it('has blocks of known languages only', () => {
    const unknown = ownDocuments
      .flatMap(readBlocks)
      .filter(({ language }) => ![...executedLanguages, ...displayedLanguages].includes(language))
      .map(({ document, code }) => `${document}: ${code.split('\n')[0]}`);

    expect(unknown).toEqual([]);
  });

  it('has its commands and programs executed, except those with a reason', () => {
    if (!hasPyNaCl) executedDocuments.add(pythonTutorial);
    const left = ownDocuments.filter((path) => !executedDocuments.has(path) && listExecutableBlocks(path).length > 0);
    const stale = unexecutedBlocks.filter(
      (exception) => !ownDocuments.flatMap(readBlocks).some((block) => exceptionApplies(block, exception)),
    );

    expect(left).toEqual([]);
    expect(stale).toEqual([]);
  });
});

describe('every document', () => {
  it('links to files that exist', async () => {
    const broken: string[] = [];
    for (const document of documents) {
      const text = await readFile(join(repository, document), 'utf8');
      for (const [, target = ''] of text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)) {
        if (!existsSync(join(repository, dirname(document), target))) broken.push(`${document} -> ${target}`);
      }
    }

    expect(broken).toEqual([]);
  });

  it('names scripts that exist', async () => {
    const { scripts } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as { scripts: object };
    for (const document of ownDocuments) {
      const text = await readFile(join(repository, document), 'utf8');
      const named = [...text.matchAll(/npm (?:run (?:-s )?([a-z-]+)|(start|test))\b/g)].map(
        ([, run, own]) => run ?? own,
      );
      for (const name of named) expect(Object.keys(scripts), document).toContain(name);
    }
  });
});
