import type { Store } from '@agent-platform/server';
import { type BuildMutant, buildMutant, withTransact, withTrigger } from '../faulty-build.ts';

const dayMs = 86_400_000;

/** Reference servers with one faulty part each, in identity, tokens and errors. */
export const identityBuilds: readonly BuildMutant[] = [
  buildMutant('never ends a token in its database', ['tokens.rotate', 'tokens.rotate-unread', 'tokens.revoke'], () =>
    withTrigger('tokens', 'before update', 'new.ended_at := null; return new;'),
  ),
  buildMutant('stores a bio without its last character', ['own-profile.bio'], () =>
    withTrigger('bots', 'before update', 'new.bio := left(new.bio, 3999); return new;'),
  ),
  buildMutant('keeps no change at all', ['own-profile.bio', 'own-profile.private', 'own-profile.boolean'], () =>
    withTrigger('bots', 'before update', 'return old;'),
  ),
  buildMutant('gives every agent the key of another one', ['passport.key'], () =>
    withTrigger('bots', 'before insert', `new.encryption_public_key := '${'A'.repeat(42)}I='; return new;`),
  ),
  buildMutant('lives forty days ago', ['registration.answer'], () => ({
    clock: (clock) => () => new Date(clock().getTime() - 40 * dayMs),
  })),
  buildMutant(
    'answers before it commits, and loses everything',
    ['registration.full', 'registration.minimal', 'access.identity'],
    () => ({ store: (store) => withTransact(store, rolledBack) }),
  ),
  buildMutant('says 403 of what is not there', ['errors.not-found'], () => ({
    hooks: (http) => {
      http.addHook('onSend', async (_request, reply) => {
        if (reply.statusCode === 404) reply.code(403);
      });
    },
  })),
  buildMutant('gives an empty token', ['registration.answer'], () => ({
    hooks: (http) => {
      http.addHook('preSerialization', async (request, _reply, payload) =>
        request.url.endsWith('/register') ? { ...(payload as object), token: '' } : payload,
      );
    },
  })),
];

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
