import { freshDatabase } from '@agent-platform/testing';
import { copyEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  type Installation,
  type Instance,
  makeInstallation,
  readPassportStatus,
  register,
} from '../../../testing/installation.ts';

const stores = ['pglite', 'postgresql'] as const;

async function install(store: (typeof stores)[number]): Promise<Installation> {
  return makeInstallation(store === 'pglite' ? {} : { DATABASE_URL: await freshDatabase(inject('postgresUrl')) });
}

describe.each(stores)('an operator on %s', (store) => {
  describe('beside a running server', () => {
    let installation: Installation;
    let server: Instance;
    beforeAll(async () => {
      installation = await install(store);
      server = await installation.start();
    });
    afterAll(() => installation.stop());

    const json = async (...words: string[]) => (await installation.operator(...words, '--json')).json();

    it('suspends an agent, whose requests immediately return 403, and reactivates it', async () => {
      const { token } = await register(server.url, 'alice');

      expect(await json('agents', 'suspend', 'alice')).toMatchObject({ changed: true, agent: { state: 'suspended' } });
      expect(await readPassportStatus(server.url, token)).toBe(403);
      expect(await json('agents', 'suspend', 'alice')).toMatchObject({ changed: false, agent: { state: 'suspended' } });

      expect(await json('agents', 'reactivate', 'alice')).toMatchObject({ changed: true, agent: { state: 'active' } });
      expect(await readPassportStatus(server.url, token)).toBe(200);
      expect(await json('agents', 'reactivate', 'alice')).toMatchObject({ changed: false });
    });

    it('says of a second suspension that there was a first', async () => {
      await register(server.url, 'twice');
      const first = await installation.operator('agents', 'suspend', 'twice');
      const second = await installation.operator('agents', 'suspend', 'twice');

      expect(first).toMatchObject({
        exitCode: 0,
        out: expect.stringMatching(/^twice \(.+\) is now suspended\./),
      });
      expect(second).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^twice \(.+\) is already suspended/) });
    });

    it('finds an agent by handle and by id, in capitals too', async () => {
      await register(server.url, 'byname', { bio: 'one\ntwo' });
      const shown = await json('agents', 'show', 'byname');
      expect(shown).toMatchObject({ agent: { handle: 'byname', bio: 'one\ntwo', tokens: { active: 1 } } });
      const { agent } = shown as { readonly agent: { readonly id: string } };

      expect(await json('agents', 'show', agent.id)).toEqual(shown);
      expect(await json('agents', 'show', agent.id.toUpperCase())).toEqual(shown);
    });

    it('never shows what a terminal would act on', async () => {
      await register(server.url, 'hostile', { display_name: 'x\u001b[2J\u202e', bio: '\u009b31m' });
      const outputs = await Promise.all([
        installation.operator('agents', 'list'),
        installation.operator('agents', 'show', 'hostile'),
        installation.operator('agents', 'show', 'hostile', '--json'),
      ]);

      for (const { exitCode, out } of outputs) {
        expect(exitCode).toBe(0);
        expect(out).toMatch(/\\u\{?(00)?1b/);
        expect(out).not.toMatch(/[^\n\P{C}]/u);
      }
    });

    it('pages through the agents, the newest first, and misses none', async () => {
      for (const number of [1, 2, 3, 4, 5]) await register(server.url, `page_${number}`);
      const handles: string[] = [];
      let words: string[] = [];
      for (;;) {
        const page = (await json('agents', 'list', '--limit', '2', ...words)) as {
          readonly agents: readonly { readonly handle: string }[];
          readonly next_after: string | null;
        };
        handles.push(...page.agents.map(({ handle }) => handle));
        if (page.next_after === null) break;
        words = ['--after', page.next_after];
      }

      expect(handles.slice(0, 5)).toEqual(['page_5', 'page_4', 'page_3', 'page_2', 'page_1']);
      expect(new Set(handles).size).toBe(handles.length);
      expect(await json('agents', 'list', '--after', 'page_2', '--limit', '1')).toMatchObject({
        agents: [{ handle: 'page_1' }],
      });
    });

    it('closes and opens registration immediately, and reports the mode and its source', async () => {
      expect(await json('registration')).toEqual({
        mode: 'open',
        chosen_by: 'setting',
        chosen_at: null,
        setting: 'open',
      });
      expect(await json('registration', 'closed')).toEqual({ mode: 'closed', previous: 'open', changed: true });
      expect(await register(server.url, 'late')).toMatchObject({
        status: 403,
        code: 'registration_unavailable',
      });
      expect(await json('registration', 'closed')).toMatchObject({ changed: false });
      expect(await json('registration')).toMatchObject({ mode: 'closed', chosen_by: 'operator', setting: 'open' });
      expect(await json('config')).toMatchObject({ registration: { mode: 'closed', chosen_by: 'operator' } });

      expect(await json('registration', 'invitation')).toMatchObject({ mode: 'invitation', previous: 'closed' });
      expect(await register(server.url, 'late')).toMatchObject({
        status: 403,
        code: 'invalid_invitation',
      });
      expect(await json('registration', 'open')).toMatchObject({ mode: 'open', previous: 'invitation' });
      expect(await register(server.url, 'late')).toMatchObject({ status: 201 });
    });

    it('writes every change into the log of the server, and no secret', async () => {
      const made = (await json('invitations', 'create', '--uses', '3')) as {
        readonly id: string;
        readonly code: string;
      };
      await json('agents', 'list');

      const lines = server
        .logged()
        .split('\n')
        .filter((line) => line.includes('operator command'));
      expect(lines.at(-1)).toMatch(/"by":"operator","command":"invitations create"/);
      expect(lines.at(-1)).toContain(made.id);
      expect(server.logged()).not.toContain(made.code);
    });

    it('shows the settings of the server with secrets hidden', async () => {
      const shown = await installation.operator('config', '--json');

      expect(shown.json()).toMatchObject({ source: 'running server' });
      const password = installation.env['DATABASE_URL']?.split(/[:@]/)[2] ?? 'no password';
      expect(shown.out).not.toContain(password);
    });
  });

  describe('without a server', () => {
    let installation: Installation;
    beforeAll(async () => {
      installation = await install(store);
    });
    afterAll(() => installation.stop());

    it('prepares an installation before its first start', async () => {
      const made = await installation.operator('invitations', 'create', '--json');
      expect(made).toMatchObject({
        exitCode: 0,
        err: expect.stringMatching(store === 'pglite' ? /a new database was created/ : /Applied migrations/),
      });
      await installation.operator('registration', 'invitation');
      const { code } = made.json() as { readonly code: string };

      const server = await installation.start();
      const { token } = await register(server.url, 'first', { invitation: code });
      expect(await register(server.url, 'second')).toMatchObject({ code: 'invalid_invitation' });
      await server.stop();

      expect(await installation.operator('agents', 'suspend', 'first')).toMatchObject({ exitCode: 0, err: '' });
      const again = await installation.start();
      expect(await readPassportStatus(again.url, token)).toBe(403);
    });
  });
});

describe('what cannot be done', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = makeInstallation();
    await installation.start();
  });
  afterAll(() => installation.stop());

  it.each([
    ['an unknown agent', ['agents', 'show', 'nobody'], /no agent "nobody".*agents list/],
    ['an unknown id', ['agents', 'suspend', '01a1fdfa-e165-7579-95a6-77ae3b34bf2b'], /no agent/],
    ['a text that is no name', ['agents', 'reactivate', "' or 1=1 --"], /no agent/],
    ['an unknown agent to list after', ['agents', 'list', '--after', 'nobody'], /no agent/],
    ['an unknown invitation', ['invitations', 'revoke', '01a1fdfa-e165-7579-95a6-77ae3b34bf2b'], /invitations list/],
  ])('fails with 1 and a hint on stderr: %s', async (_, words, message) => {
    const done = await installation.operator(...words);

    expect(done).toMatchObject({ exitCode: 1, out: '', err: expect.stringMatching(message) });
  });

  it.each([
    ['a page of nothing', ['agents', 'list', '--limit', '0'], /--limit must be >= 1/],
    ['a number that is none', ['invitations', 'create', '--uses', 'many'], /--uses must be integer/],
    ['an invitation for nobody', ['invitations', 'create', '--uses', '0'], /--uses must be >= 1/],
    ['an invitation that is over', ['invitations', 'create', '--expires', '2020-01-01'], /is in the past/],
    ['an expiry that is not a date', ['invitations', 'create', '--expires', 'soon'], /is not a valid time/],
    ['an id that is none', ['invitations', 'revoke', 'first'], /id must match format "uuid"/],
  ])('exits 2 for invalid arguments, with a hint on stderr: %s', async (_, words, message) => {
    const done = await installation.operator(...words);
    const json = await installation.operator(...words, '--json');

    expect(done).toMatchObject({ exitCode: 2, out: '', err: expect.stringMatching(message) });
    expect(JSON.parse(json.err)).toMatchObject({ error: { message: expect.stringMatching(message) } });
  });

  it.each([[['agents', 'show', '--json']], [['config', '--json', '--nope']], [['nothing', '--json']]])(
    'is JSON for a program that asked for it: %j',
    async (words) => {
      const done = await installation.operator(...words);

      expect(done).toMatchObject({ exitCode: 2, out: '' });
      expect(JSON.parse(done.err)).toMatchObject({ error: { code: 'usage', message: expect.stringMatching(/\w/) } });
    },
  );

  it('is everything in the folder of another user, whose server could not open what is written there', async () => {
    const here = makeInstallation();
    copyEmptyDatabase(here.dataDir);
    const asAnother = await here.operatorAs((process.getuid?.() ?? 0) + 1, 'registration', 'closed');

    expect(asAnother).toMatchObject({ exitCode: 1, err: expect.stringMatching(/as the owner of the folder/) });
    expect((await here.operator('registration', '--json')).json()).toMatchObject({ mode: 'open' });
    await here.stop();
  });

  it('is printed as JSON with --json', async () => {
    const { exitCode, out, err } = await installation.operator('agents', 'show', 'nobody', '--json');

    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' });
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'not_found' } });
  });

  it('ends with 2 when the settings are wrong', async () => {
    const wrong = makeInstallation({ PORT: 'many' });

    expect(await wrong.operator('agents', 'list')).toMatchObject({ exitCode: 2, err: expect.stringContaining('PORT') });
    await wrong.stop();
  });

  it('says so when the database does not answer', async () => {
    const without = makeInstallation({ DATABASE_URL: 'postgres://someone:secret@127.0.0.1:1/none' });
    const done = await without.operator('agents', 'list');

    expect(done).toMatchObject({ exitCode: 1, err: expect.stringMatching(/database does not respond.*doctor/) });
    expect(done.err).not.toContain('secret');
    expect(await without.operator('config', '--json')).toMatchObject({ exitCode: 0 });
    await without.stop();
  });

  it('does not apply pending migrations with PLATFORM_MIGRATE=manual', async () => {
    const manual = makeInstallation({
      DATABASE_URL: await freshDatabase(inject('postgresUrl')),
      PLATFORM_MIGRATE: 'manual',
    });

    expect(await manual.operator('agents', 'list')).toMatchObject({
      exitCode: 1,
      err: expect.stringMatching(/lacks \d+ migration.*PLATFORM_MIGRATE=on-start/),
    });
    await manual.stop();
  });
});
