import { type Credential, fileCredentials } from '@agent-platform/sdk';
import type { Cell } from '../../output/card.ts';
import { layOutTable } from '../../output/table.ts';
import { showExpiry } from '../../output/values.ts';
import { nothing, verb } from '../command.ts';

/** Lists the agents of this person on this machine. */
export const profilesList = verb({
  path: ['profiles', 'list'],
  summary: 'list the agents that are kept on this machine',
  examples: ['agentp profiles list'],
  members: {
    profiles: {
      name: 'value',
      is_current: 'value',
      is_readable: 'value',
      handle: 'value',
      id: 'value',
      origin: 'value',
      has_token: 'value',
      token_expires_at: 'value',
    },
  },
  parse: nothing,
  run: async (_, { profiles, io }) => {
    const current = await profiles.findCurrent();
    const found = await Promise.all(
      (await profiles.list()).map(async (name) => {
        // One broken file must not hide the others.
        const credential = await fileCredentials(profiles.fileOf(name))
          .load()
          .catch(() => undefined);
        return { name, credential, isCurrent: name === current };
      }),
    );
    return {
      kind: 'data',
      data: {
        profiles: found.map(({ name, credential, isCurrent }) => ({
          name,
          is_current: isCurrent,
          is_readable: credential !== undefined,
          handle: credential?.handle ?? null,
          id: credential?.bot_id ?? null,
          origin: credential?.origin ?? null,
          has_token: credential !== undefined && credential.token !== null,
          token_expires_at: credential?.token_expires_at ?? null,
        })),
      },
      show: (page) =>
        layOutTable(
          {
            columns: ['', 'PROFILE', 'HANDLE', 'SERVER', 'TOKEN EXPIRES'],
            rows: found.map(({ name, credential, isCurrent }) => [
              isCurrent ? '*' : '',
              name,
              ...(credential === undefined ? unreadable : readable(credential, io.now())),
            ]),
            empty: 'There is no profile yet. Register first: agentp register --help',
          },
          page,
        ),
    };
  },
});

const unreadable: readonly Cell[] = [{ text: 'not readable: agentp doctor', paint: 'red' }];

function readable(credential: Credential, now: Date): readonly Cell[] {
  const expiry: Cell = credential.token === null ? 'revoked' : showExpiry(credential.token_expires_at, now);
  return [credential.handle, credential.origin, expiry];
}
