import {
  faultTable,
  inside,
  isAbout,
  json,
  parse,
  refusal,
  reply,
  replyWhen,
  request,
  requestWhen,
  tokenOf,
  withToken,
} from '../faults.ts';
import type { Fault, PassingReply } from '../passing.ts';
import { after, lendsTokens } from '../stateful-faults.ts';

const me = 'GET /api/v1/bots/me';
const rotate = 'POST /api/v1/tokens/rotate';
const revoke = 'POST /api/v1/tokens/revoke';
const lends = (about: string) => lendsTokens((passing) => isAbout(passing, about) && !passing.path.endsWith('/me'));

/** Servers that let the wrong callers in, or end tokens wrongly. */
export const accessMutants = faultTable('tokens', [
  ['lets anybody search', 'access.absent', lends('GET /api/v1/bots')],
  ['lets anybody read cards', 'access.absent', lends('GET /api/v1/bots/*')],
  ['lets anybody read posts', 'access.absent', lends('GET /api/v1/posts')],
  ['answers 403 without a token', 'access.absent access.wrong access.scheme', reply('* * 401', 403)],
  ['names another code without a token', 'access.absent access.wrong access.scheme', reply('* * 401', 'no_token')],
  ['compares only the beginning of a token', 'access.wrong', comparesBeginnings],
  [
    'accepts a token under any scheme',
    'access.scheme',
    requestWhen(
      ({ headers }) => headers['authorization']?.startsWith('Token apt_') === true,
      (passing) => withToken(passing, (passing.headers['authorization'] ?? '').replace('Token ', '')),
    ),
  ],
  ['answers the own profile of the first caller', 'access.identity', firstProfile],
  [
    'repeats the token in the own profile',
    'secret',
    replyWhen(
      ({ status }, passing) => isAbout(passing, me) && status === 200,
      ({ body }, passing) => json(200, { ...parse(body), token: tokenOf(passing) }),
    ),
  ],
  ['answers 202 to a rotation', 'rotate rotate-unread', reply(`${rotate} 200`, 202)],
  [
    'rotates nothing',
    'rotate rotate-unread',
    requestWhen(
      (passing) => isAbout(passing, rotate) && tokenOf(passing) !== undefined,
      (passing) => json(200, { token: tokenOf(passing) }),
    ),
  ],
  ['does not tell the new token', 'rotate', reply(`${rotate} 200`, () => ({ rotated: true }))],
  ['accepts the old token after a rotation', 'rotate rotate-unread', acceptsOldTokens],
  ['loses the key with a rotation', 'rotate', afterRotation('encryption_public_key')],
  ['changes the handle with a rotation', 'rotate', afterRotation('handle')],
  [
    'reads the body of a rotation',
    'rotate-unread',
    requestWhen(
      (passing) => isAbout(passing, rotate) && passing.body !== '' && parse(passing.body) === undefined,
      refusal(400, 'invalid_input'),
    ),
  ],
  ['answers 202 to a revocation', 'revoke', reply(`${revoke} 200`, 202)],
  ['revokes nothing', 'revoke', request(revoke, json(200, { revoked: true }))],
  [
    'revokes the tokens of every agent',
    'revoke',
    () => {
      let isOver = false;
      return {
        onRequest: (passing) => {
          if (isOver) return refusal(401, 'unauthorized');
          isOver = isAbout(passing, revoke) && tokenOf(passing) !== undefined;
          return passing;
        },
      };
    },
  ],
  ['rotates tokens that were revoked', 'revoke', reply(`${rotate} 401`, json(200, { token: 'new-token' }))],
]);

function comparesBeginnings(): Fault {
  let known: string | undefined;
  return {
    onRequest: (passing) =>
      known !== undefined && tokenOf(passing)?.slice(0, 20) === known.slice(0, 20)
        ? withToken(passing, known)
        : passing,
    onReply: (passing, sent) => {
      if (passing.status === 200) known ??= tokenOf(sent);
      return passing;
    },
  };
}

function firstProfile(): Fault {
  let first: PassingReply | undefined;
  return replyWhen(
    ({ status }, passing) => isAbout(passing, me) && status === 200,
    (passing) => {
      first ??= passing;
      return first;
    },
  );
}

function acceptsOldTokens(): Fault {
  const next = new Map<string, string>();
  return {
    onRequest: (passing) => {
      const newer = next.get(tokenOf(passing) ?? '');
      return newer === undefined ? passing : withToken(passing, newer);
    },
    onReply: (passing, sent) => {
      const given = isAbout(sent, rotate) ? parse(passing.body)?.['token'] : undefined;
      if (typeof given === 'string') next.set(tokenOf(sent) ?? '', given);
      return passing;
    },
  };
}

function afterRotation(name: string): () => Fault {
  const damage = reply(
    `${me} 200`,
    inside('bot', (bot) => (bot[name] = 'other')),
  );
  return after(
    (passing) => isAbout(passing, rotate),
    (passing, sent) => damage.onReply?.(passing, sent) ?? passing,
  );
}
