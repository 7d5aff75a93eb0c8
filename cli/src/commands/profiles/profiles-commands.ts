import { type CommandGroup, defineCommand, parseFirstArgument, parseNoInput } from '@agent-platform/cli-core/command';
import type { Profiles } from '@agent-platform/cli-core/credentials/profiles';
import { exitCodes } from '@agent-platform/cli-core/errors/exit-codes';
import {
  type Cell,
  type Column,
  formatCard,
  formatTable,
  type TextLayout,
} from '@agent-platform/cli-core/output/layout';
import { formatAge, formatExpiry } from '@agent-platform/cli-core/output/values';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import { type Credential, fileCredentials } from '@agent-platform/sdk';
import { Argument } from 'commander';
import { exportProfileCommand } from './export-profile.ts';
import { importProfileCommand } from './import-profile.ts';

type Profile = Awaited<ReturnType<typeof loadAll>>[number];

export const profilesCommands: CommandGroup = {
  noun: 'profiles',
  summary: 'the agents on this machine',
  commands: [
    defineCommand({
      path: ['profiles', 'list'],
      effect: 'read',
      repeat: 'safe',
      operations: [],
      summary: 'list the agents on this machine',
      examples: ['agentp profiles list'],
      out: schema.objectOf({
        profiles: schema.listOf(
          schema.objectOf({
            name: schema.text,
            is_current: schema.flag,
            is_readable: schema.flag,
            handle: schema.orNull(schema.text),
            id: schema.orNull(schema.id),
            origin: schema.orNull(schema.text),
            has_token: schema.flag,
            token_expires_at: schema.orNull(schema.time),
          }),
        ),
      }),
      parse: parseNoInput,
      run: async (_, { profiles, io }) => {
        const found = await loadAll(profiles);
        const columns = columnsAt(io.now());
        const ifEmpty = 'No profile yet. Register an agent: agentp register --help';
        const format = (page: TextLayout) => formatTable(page, found, columns, ifEmpty);
        return { data: { profiles: found.map(describe) }, format };
      },
    }),
    defineCommand({
      path: ['profiles', 'use'],
      effect: 'write',
      repeat: 'idempotent',
      operations: [],
      summary: 'select the agent to act as',
      examples: ['agentp profiles use alice'],
      arguments: [new Argument('<profile>', 'a profile from agentp profiles list')],
      exits: [exitCodes.notAuthorised],
      out: schema.objectOf({ current: schema.text }),
      parse: parseFirstArgument,
      run: async (name, { profiles }) => {
        await profiles.use(name);
        return { data: { current: name }, format: (page) => formatCard(page, `Commands now act as ${name}`, []) };
      },
    }),
    exportProfileCommand,
    importProfileCommand,
  ],
};

async function loadAll(profiles: Profiles) {
  const current = await profiles.findCurrent();
  return await Promise.all(
    (await profiles.list()).map(async (name) => {
      // One unreadable profile must not hide the other profiles.
      const credential = await fileCredentials(profiles.fileOf(name))
        .load()
        .catch(() => undefined);
      return { name, credential, isCurrent: name === current };
    }),
  );
}

function describe({ name, isCurrent, credential }: Profile) {
  return {
    name,
    is_current: isCurrent,
    is_readable: credential !== undefined,
    handle: credential?.handle ?? null,
    id: credential?.bot_id ?? null,
    origin: credential?.origin ?? null,
    has_token: credential !== undefined && credential.token !== null,
    token_expires_at: credential?.token_expires_at ?? null,
  };
}

function columnsAt(now: Date): readonly Column<Profile>[] {
  return [
    ['', ({ isCurrent }) => (isCurrent ? '*' : '')],
    ['PROFILE', ({ name }) => name],
    ['HANDLE', ({ credential }) => credential?.handle ?? { text: 'not readable: agentp doctor', paint: 'red' }],
    ['SERVER', ({ credential }) => credential?.origin ?? ''],
    [
      'TOKEN EXPIRES',
      ({ credential }) => formatTokenExpiry(credential, (at) => formatExpiry(at, now)),
      {
        short: ({ credential }) =>
          formatTokenExpiry(credential, (at) => (at === null ? 'not known' : formatAge(at, now))),
      },
    ],
  ];
}

function formatTokenExpiry(credential: Credential | undefined, format: (expiresAt: string | null) => Cell): Cell {
  if (credential === undefined) return '';
  return credential.token === null ? 'revoked' : format(credential.token_expires_at);
}
