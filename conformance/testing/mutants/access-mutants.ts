import { faultsOf } from '../fault-language.ts';
import { isAbout, json, parse, refusal, replyWhen, requestWhen, tokenOf, withToken } from '../faults.ts';
import type { Fault, PassingReply, PassingRequest } from '../passing.ts';

const me = 'GET /api/v1/bots/me';
const rotate = 'POST /api/v1/tokens/rotate';
const isOwnProfile = ({ status }: PassingReply, sent: PassingRequest) => isAbout(sent, me) && status === 200;

/** Servers that let the wrong callers in, or end tokens wrongly. */
export const accessMutants = faultsOf(
  'tokens',
  `
lets anybody search | access.absent | GET /bots <- as-last-caller
lets anybody read cards | access.absent | GET /bots/* path:'bots/(?!me$)' <- as-last-caller
lets anybody read posts | access.absent | GET /posts <- as-last-caller
answers 403 without a token | access.absent access.wrong access.scheme | * 401 -> 403
names another code without a token | access.absent access.wrong access.scheme | * 401 -> code no_token
compares only the beginning of a token | access.wrong | = comparesBeginnings
accepts a token under any scheme | access.scheme | = anyScheme
answers the own profile of the first caller | access.identity | = firstProfile
repeats the token in the own profile | secret | = repeatsToken
answers 202 to a rotation | rotate rotate-unread | POST /tokens/rotate 200 -> 202
rotates nothing | rotate rotate-unread | = rotatesNothing
does not tell the new token | rotate | POST /tokens/rotate 200 -> 200 {"rotated":true}
accepts the old token after a rotation | rotate | = acceptsOldTokens
loses the key with a rotation | rotate | after /rotate GET /bots/me 200 -> set bot.encryption_public_key "other"
changes the handle with a rotation | rotate | after /rotate GET /bots/me 200 -> set bot.handle "other"
reads the body of a rotation | rotate-unread | POST /tokens/rotate malformed sent:'.' <- 400 invalid_input
answers 202 to a revocation | revoke | POST /tokens/revoke 200 -> 202
revokes nothing | revoke | POST /tokens/revoke <- 200 {"revoked":true}
revokes the tokens of every agent | revoke | = revokesAll
forgives ended tokens on public files | files.ended-bearer | = forgivesEnded
grants a rotation to each of two | rotate-twice | POST /tokens/rotate 401 -> 200 {"token":"new-token"}
rotates tokens that were revoked | revoke | POST /tokens/rotate 401 -> 200 {"token":"new-token"}
`,
  {},
  {
    anyScheme: requestWhen(
      ({ headers }) => headers['authorization']?.startsWith('Token apt_') === true,
      (passing) => withToken(passing, (passing.headers['authorization'] ?? '').replace('Token ', '')),
    ),
    repeatsToken: replyWhen(isOwnProfile, ({ body }, sent) => json(200, { ...parse(body), token: tokenOf(sent) })),
    rotatesNothing: requestWhen(
      (passing) => isAbout(passing, rotate) && tokenOf(passing) !== undefined,
      (passing) => json(200, { token: tokenOf(passing) }),
    ),
    ...{ comparesBeginnings, firstProfile, acceptsOldTokens, revokesAll, forgivesEnded },
  },
);

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
  return replyWhen(isOwnProfile, (passing) => {
    first ??= passing;
    return first;
  });
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

function forgivesEnded(): Fault {
  const ended = new Set<string | undefined>();
  return {
    onRequest: (passing) => {
      if (!ended.has(tokenOf(passing)) || !passing.path.startsWith('/api/v1/attachments/')) return passing;
      const { authorization: _, ...headers } = passing.headers;
      return { ...passing, headers };
    },
    onReply: (passing, sent) => {
      if (passing.status === 200 && sent.path.startsWith('/api/v1/tokens/')) ended.add(tokenOf(sent));
      return passing;
    },
  };
}

function revokesAll(): Fault {
  let isOver = false;
  return {
    onRequest: (passing) => {
      if (isOver) return refusal(401, 'unauthorized');
      isOver = isAbout(passing, 'POST /api/v1/tokens/revoke') && tokenOf(passing) !== undefined;
      return passing;
    },
  };
}
