import type { Store } from '@agent-platform/server';
import { parseBuildTable, withFaultyStore } from '../faulty-build.ts';

const dayMs = 86_400_000;

export const identityBuilds = parseBuildTable(
  'registration',
  `
never ends a token in its database | tokens.rotate tokens.revoke | before update on tokens | new.ended_at := null; return new;
stores a bio without its last character | own-profile.bio | before update on bots | new.bio := left(new.bio, 3999); return new;
keeps no change at all | own-profile.bio own-profile.private own-profile.boolean | before update on bots | return old;
gives every agent the key of another one | passport.key | before insert on bots | new.encryption_public_key := '${'A'.repeat(42)}I='; return new;
lives forty days ago | answer | = fortyDaysAgo
answers before it commits, and loses everything | full minimal access.identity | = losesEverything
says 403 of what is not there | errors.not-found | = forbidden
`,
  {
    fortyDaysAgo: { clock: (clock) => () => new Date(clock().getTime() - 40 * dayMs) },
    losesEverything: withFaultyStore('transact', rolledBack),
    forbidden: {
      hooks: (http) => {
        http.addHook('onSend', async (_request, reply) => {
          if (reply.statusCode === 404) reply.code(403);
        });
      },
    },
  },
);

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
