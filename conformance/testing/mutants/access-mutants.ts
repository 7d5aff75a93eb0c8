import { parseFaults } from '../fault-language.ts';
import {
  changeRequests,
  changeSelectedReplies,
  isAbout,
  jsonReply,
  parseJsonObject,
  refusal,
  tokenOf,
} from '../faults.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from '../passing.ts';

const me = 'GET /api/v1/bots/me';
const rotate = 'POST /api/v1/tokens/rotate';
const isOwnProfile = ({ status }: ProxiedReply, sent: ProxiedRequest) => isAbout(sent, me) && status === 200;

export const accessMutants = parseFaults(
  'tokens',
  `
answers 403 without a token | access.absent access.wrong access.scheme | * 401 -> 403
names another code without a token | access.absent access.wrong access.scheme | * 401 -> code no_token
answers the own profile of the first caller | access.identity | = firstProfile
repeats the token in the own profile | secret transport.tokens | = repeatsToken
rotates nothing | rotate rotate-unread | = rotatesNothing
does not tell the new token | rotate | POST /tokens/rotate 200 -> 200 {"rotated":true}
loses the key with a rotation | rotate | after /rotate GET /bots/me 200 -> set bot.encryption_public_key "other"
changes the handle with a rotation | rotate | after /rotate GET /bots/me 200 -> set bot.handle "other"
reads the body of a rotation | rotate-unread | POST /tokens/rotate malformed sent:'.' <- 400 invalid_input
revokes nothing | revoke | POST /tokens/revoke <- 200 {"revoked":true}
revokes the tokens of every agent | revoke | = revokesAll
forgives ended tokens on public files | files.ended-bearer | = forgivesEnded
grants a rotation to each of two | rotate-twice | POST /tokens/rotate 401 -> 200 {"token":"new-token"}
`,
  {},
  {
    repeatsToken: changeSelectedReplies(isOwnProfile, ({ body }, sent) =>
      jsonReply(200, { ...parseJsonObject(body), token: tokenOf(sent) }),
    ),
    rotatesNothing: changeRequests(
      (passing) => isAbout(passing, rotate) && tokenOf(passing) !== undefined,
      (passing) => jsonReply(200, { token: tokenOf(passing) }),
    ),
    firstProfile,
    revokesAll,
    forgivesEnded,
  },
);

function firstProfile(): Fault {
  let first: ProxiedReply | undefined;
  return changeSelectedReplies(isOwnProfile, (passing) => {
    first ??= passing;
    return first;
  });
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
