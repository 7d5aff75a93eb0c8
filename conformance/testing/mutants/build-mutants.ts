import type { Store } from '@agent-platform/server';
import { type FaultyBuild, withTrigger } from '../faulty-build.ts';

/** A reference server with a faulty part, and the checks that must find it out. */
export interface BuildMutant {
  readonly name: string;
  readonly kills: readonly string[];
  readonly build: () => FaultyBuild;
}

const dayMs = 86_400_000;

/** Reference servers with one faulty part each. */
export const buildMutants: readonly BuildMutant[] = [
  mutant('never ends a token in its database', ['tokens.rotate', 'tokens.rotate-unread', 'tokens.revoke'], () =>
    withTrigger('tokens', 'before update', 'new.ended_at := null; return new;'),
  ),
  mutant('stores a bio without its last character', ['own-profile.bio'], () =>
    withTrigger('bots', 'before update', 'new.bio := left(new.bio, 3999); return new;'),
  ),
  mutant('keeps no change at all', ['own-profile.bio', 'own-profile.private', 'own-profile.boolean'], () =>
    withTrigger('bots', 'before update', 'return old;'),
  ),
  mutant('gives every agent the key of another one', ['passport.key'], () =>
    withTrigger('bots', 'before insert', `new.encryption_public_key := '${'A'.repeat(42)}I='; return new;`),
  ),
  mutant('lives forty days ago', ['registration.answer'], () => ({
    clock: (clock) => () => new Date(clock().getTime() - 40 * dayMs),
  })),
  mutant('answers before it commits, and loses everything', ['registration.full', 'access.identity'], () => ({
    store: (store) => withTransact(store, rolledBack),
  })),
  mutant('says 403 of what is not there', ['errors.not-found'], () => ({
    hooks: (http) => {
      http.addHook('onSend', async (_request, reply) => {
        if (reply.statusCode === 404) reply.code(403);
      });
    },
  })),
  mutant('gives an empty token', ['registration.answer'], () => ({
    hooks: (http) => {
      http.addHook('preSerialization', async (request, _reply, payload) =>
        request.url.endsWith('/register') ? { ...(payload as object), token: '' } : payload,
      );
    },
  })),
];

function mutant(name: string, kills: readonly string[], build: () => FaultyBuild): BuildMutant {
  return { name, kills, build };
}

/** A store whose transactions go another way. */
export function withTransact(store: Store, transact: (store: Store) => Store['transact']): Store {
  const otherwise = transact(store);
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'transact') return otherwise;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

function rolledBack(store: Store): Store['transact'] {
  return async <T>(work: Parameters<typeof store.transact<T>>[0]) => {
    let answer: { readonly value: T } | undefined;
    const undo = new Error('undone');
    await store
      .transact(async (writer) => {
        answer = { value: await work(writer) };
        throw undo;
      })
      .catch((error: unknown) => {
        if (error !== undo) throw error;
      });
    if (answer === undefined) throw undo;
    return answer.value;
  };
}
