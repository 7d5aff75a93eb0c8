import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { registerAgent } from '../testing/friends.ts';
import { startServerWithOperator } from '../testing/reference-server.ts';
import { stableId } from './crypto/stable-id.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../', import.meta.url));

/** The pages with programs, in reading order; later programs use the agents of earlier ones. */
const pages = [
  ...[
    'two-agents',
    'agent-folder',
    'client',
    'posts-and-files',
    'messages',
    'events',
    'handlers',
    'orders',
    'errors',
    'testing',
    'tools',
  ],
  ...['browsers', 'in-depth'],
];

async function snippets(): Promise<string[]> {
  const documents = ['README.md', ...pages.map((name) => `docs/${name}.md`)].map((name) =>
    readFile(join(repository, 'sdk', name), 'utf8'),
  );
  return findPrograms((await Promise.all(documents)).join('\n'));
}

function findPrograms(text: string): string[] {
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? '');
}

/** The programs in the documents of the repository. The tests of the examples run these programs. */
async function programsOfDocuments(): Promise<string[]> {
  const folders = ['docs', 'docs/guides', 'docs/explanation', 'docs/tutorials'].map((name) => join(repository, name));
  const names = await Promise.all(
    folders.map(async (folder) => (await readdir(folder)).map((name) => join(folder, name))),
  );
  // docs/architecture.md contains an excerpt from a source file instead of a program.
  const pages = names.flat().filter((name) => name.endsWith('.md') && !name.endsWith('docs/architecture.md'));
  const texts = await Promise.all(pages.map((name) => readFile(name, 'utf8')));
  return texts.flatMap(findPrograms);
}

/** Starts a program and collects its output in `printed`. A program that still runs when the test ends is killed. */
function start(file: string, args: readonly string[] = []) {
  const child = spawn(process.execPath, [file, ...args], { cwd: dirname(file), stdio: ['ignore', 'pipe', 'ignore'] });
  const program = { child, printed: '', ended: once(child, 'exit') };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    program.printed += text;
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.kill('SIGKILL')) await program.ended;
  });
  return program;
}

/** Runs the README's first program for two agents; one of them is killed and restarted during the conversation. */
async function talk(file: string): Promise<string[]> {
  const says = (program: { readonly printed: string }, text: string) =>
    vi.waitUntil(() => program.printed.includes(text), { timeout: 120_000 });
  const killed = start(file, ['ada', 'ben']);
  await vi.waitUntil(() => existsSync(join(dirname(file), 'ada/credential.json')), { timeout: 120_000 });
  const ben = start(file, ['ben', 'ada']);
  await says(ben, 'ada: Hello!');
  killed.child.kill('SIGKILL');
  await killed.ended;
  const ada = start(file, ['ada', 'ben']);
  await says(ben, 'ada: Very well. Goodbye!');
  for (const { child } of [ada, ben]) child.kill('SIGTERM');
  expect(await ben.ended).toEqual([0, null]);
  // If the program printed all texts before the kill, the signal may end the restarted one before it handles signals.
  const ends =
    ada.printed === ''
      ? [
          [0, null],
          [null, 'SIGTERM'],
        ]
      : [[0, null]];
  expect(ends).toContainEqual(await ada.ended);
  expect(killed.printed + ada.printed).toContain('ben: Hello! How are you?\n');
  return [ben.printed];
}

/** A folder in which programs can import this package as if it were installed. */
async function project(): Promise<string> {
  const folder = makeTestFolder();
  await mkdir(join(folder, 'node_modules/@agent-platform'), { recursive: true });
  await symlink(join(repository, 'sdk'), join(folder, 'node_modules/@agent-platform/sdk'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  return folder;
}

describe('the README', () => {
  it('has snippets that compile, as do those of all documents', async () => {
    const folder = await project();
    for (const [index, code] of [...(await snippets()), ...(await programsOfDocuments())].entries())
      await writeFile(join(folder, `snippet-${index}.ts`), code);
    const config = {
      extends: join(repository, 'tsconfig.base.json'),
      compilerOptions: { typeRoots: [join(repository, 'node_modules/@types')] },
      include: ['*.ts'],
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));

    const output = await run(join(repository, 'node_modules/.bin/tsc'), ['-p', folder]).catch(({ stdout }) => ({
      stdout,
    }));

    expect(output.stdout).toBe('');
  });

  it('has snippets that run, one after another, against a server', async () => {
    const { url, grant } = await startServerWithOperator({ PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '100' });
    const folder = await project();
    const printed: string[] = [];
    const env = {
      ...process.env,
      AGENT_PLATFORM_BASE_URL: url,
      AGENT_PLATFORM_FOLDER: './dora',
      AGENT_PLATFORM_HANDLE: 'dora',
    };
    let poet: ReturnType<typeof start> | undefined;
    let echo: ReturnType<typeof start> | undefined;

    for (const [index, code] of (await snippets()).entries()) {
      const file = join(folder, `snippet-${index}.ts`);
      await writeFile(file, code.replaceAll(/https:\/\/platform\.example|http:\/\/127\.0\.0\.1:8080/g, url));
      if (code.includes('process.argv')) {
        printed.push(...(await talk(file)));
      } else if (code.includes("folder: './echo'")) {
        echo = start(file);
        await vi.waitUntil(() => existsSync(join(folder, 'echo/credential.json')), { timeout: 120_000 });
      } else if (code.includes("role: 'contractor'")) {
        poet = start(file);
        await vi.waitUntil(() => existsSync(join(folder, 'poet/credential.json')), { timeout: 120_000 });
      } else if (code.includes("role: 'customer'")) {
        // The customer places the order before it has credits; the contractor retries until the order can be accepted.
        const reader = start(file);
        await vi.waitUntil(() => reader.printed.includes('waits'), { timeout: 120_000 });
        await grant('reader', 10_000);
        await reader.ended;
        printed.push(reader.printed);
      } else {
        // Fails if the timer of a call is not cleared, because the timer keeps the process alive beyond this limit.
        printed.push((await run(process.execPath, [file], { cwd: folder, env, timeout: 20_000 })).stdout);
      }
    }

    expect(printed).toMatchObject([
      'zoe has published a post.\n',
      'ada: Hello!\nada: Very well. Goodbye!\n',
      'carol contract law\n',
      `true outgoing\n${stableId('hello', 'carol')}\n`,
      expect.stringMatching(/^[0-9a-f-]{36}\nerin [0-9a-f]{64}\n\d{4}-.*Z\n$/),
      expect.stringMatching(/^ok 200 \S+\n$/),
      expect.stringMatching(/^alice Alice 4\nHow to read a lease\. null\n/),
      'true\n',
      '0/70\n70/70\nimage/jpeg\n',
      'none 79\nreceived Hello, Bob\n',
      'contact.requested 1\nmessage.created 1\n',
      'You said: Hello, Bob\ntrue\n',
      'message\nTwo replies are two messages.\nSend me a text, and I send it back.\n',
      'The poem waits for 11.00 credits.\nclosed accepted\n',
      expect.stringMatching(/^A thumbnail 11\.00 0\.00\ncancel cancelled\ninsufficient_funds\n(offered\n)?rejected\n$/),
      expect.stringMatching(/^400 .+ \S+\n$/),
      'offered 1\ndeadline_passed\n[ 201, 200 ]\n',
      expect.stringMatching(/^Order "A chart" from the agent bob .*\n\d+ \{"order":\{.*"state":"offered".*\n$/),
      '0.00\n',
      'Hello, Bob 79\n',
      '',
      expect.stringMatching(/^readLiveness 200 \d+ ms \S+\n$/),
      expect.stringMatching(/^Hello, Bob\n([0-9a-f]{4} ){15}[0-9a-f]{4}\n$/),
    ]);
    await vi.waitUntil(() => poet?.printed === 'paid: 10.00\n', { timeout: 120_000 });
    expect(existsSync(join(folder, 'poem.png'))).toBe(true);
    const ivy = await registerAgent(url, 'ivy');
    await vi.waitUntil(async () => (await ivy.contacts.request('echo')).status === 'friends', { timeout: 120_000 });
    await ivy.messages.send('echo', 'Is there an echo?');
    const heard = async () => (await ivy.messages.list('echo')).messages.map(({ text }) => String(text));
    await vi.waitUntil(async () => (await heard()).length === 2, { timeout: 120_000 });
    expect(await heard()).toEqual(['Is there an echo?', 'Is there an echo?']);
    echo?.child.kill('SIGTERM');
    expect(await echo?.ended).toEqual([0, null]);
    expect(await readdir(join(folder, 'agents'))).toEqual(['frank.json']);
  });
});
