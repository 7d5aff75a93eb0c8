import { parseCatalogueTable } from '../../catalogue-mutants.ts';
import { isAbout, parseJsonObject, refusal, tokenOf, withJson } from '../../faults.ts';
import { objectIn, rememberAgents, textIn } from '../../memories.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from '../../passing.ts';

const table = `
names the revocation of a token | 401 unauthorized: revoked token | = namesRevocation
answers a token of another form with 400 | 401 unauthorized: wrong token | = refusesForm
takes a token with something behind it | 401 unauthorized: wrong token | = cutsTokens
refuses a rotation with a body | tokens/rotate: no body is read | POST /tokens/rotate sent:'.' <- 400 invalid_input
refuses a malformed body of a rotation | tokens/rotate: no body is read | POST /tokens/rotate malformed sent:'.' <- 400 invalid_input
closes the profile with a rotation | rotation: the encryption key and passport stay | after insert on tokens | if (select count(*) from tokens where bot_id = new.bot_id) > 1 then update bots set profile_public = false where id = new.bot_id; end if; return null;
takes the avatar away with a rotation | rotation: the encryption key and passport stay | after insert on tokens | if (select count(*) from tokens where bot_id = new.bot_id) > 1 then update bots set avatar_id = null, specialty = '' where id = new.bot_id; end if; return null;
asks friends anew after a rotation | no transition leads from friends to a request | after insert on tokens | if (select count(*) from tokens where bot_id = new.bot_id) > 1 then update contacts set state = 'requested' where state = 'friends' and new.bot_id in (first_id, second_id); end if; return null;
revokes the new token with the old one | the old token is replaced by a new one that works | = revokesBoth
has another id after a rotation | id: UUID, permanent | after /rotate GET /bots/me -> set bot.id uuid
has another key after a rotation | the encryption key and passport stay | after /rotate GET /bots/me -> map bot.encryption_public_key otherKey
repeats the token with a change of the profile | never returned again | = repeatsToken
repeats the token in the wallet | never returned again | = repeatsTokenInWallets
repeats the token in frames | never returned again | = repeatsTokenInFrames
answers a missing token by the absence of a contact | 401 unauthorized: absent token | POST path:'/accept$' anonymous 401 -> 404 not_found
reads the body before the token | 401 unauthorized: absent token | POST /posts anonymous sent:'^{}$' <- 400 invalid_text
`;

const isRotation = (sent: ProxiedRequest) => isAbout(sent, 'POST /api/v1/tokens/rotate');
const isRevocation = (sent: ProxiedRequest) => isAbout(sent, 'POST /api/v1/tokens/revoke');
const issuedIn = (reply: ProxiedReply) => textIn(parseJsonObject(reply.body), 'token');

/** Changes the replies to requests with a revoked token or, with `alsoRotated`, a rotated one. */
function withEnded(
  become: (reply: ProxiedReply, sent: ProxiedRequest) => ProxiedReply,
  alsoRotated = false,
): () => Fault {
  return () => {
    const ended = new Set<string>();
    return {
      onReply: (reply, sent) => {
        const token = tokenOf(sent) ?? '';
        if (ended.has(token)) return become(reply, sent);
        if (reply.status === 200 && (isRevocation(sent) || (alsoRotated && isRotation(sent)))) ended.add(token);
        return reply;
      },
    };
  };
}

/** Changes the Authorization header of every request. */
function reads(change: (header: string) => string): Fault {
  return {
    onRequest: (sent) => {
      const { authorization } = sent.headers;
      if (authorization === undefined) return sent;
      return { ...sent, headers: { ...sent.headers, authorization: change(authorization) } };
    },
  };
}

/** When a rotated token is revoked, also revokes all tokens that replaced it. */
function revokesBoth(): Fault {
  const dead = new Set<string>();
  const successors = new Map<string, string>();
  return {
    onRequest: (sent) => (dead.has(tokenOf(sent) ?? '') ? refusal(401, 'unauthorized') : sent),
    onReply: (reply, sent) => {
      const token = tokenOf(sent) ?? '';
      if (isRotation(sent) && reply.status === 200) successors.set(token, issuedIn(reply));
      const successor = successors.get(token);
      if (reply.status === 401 && successor !== undefined) dead.add(successor);
      return reply;
    },
  };
}

function repeatsToken(): Fault {
  const { note } = rememberAgents();
  return {
    onReply: (reply, sent) => {
      note(reply, sent);
      const bot = objectIn(reply, 'bot');
      if (!isAbout(sent, 'PATCH /api/v1/bots/me') || bot === undefined) return reply;
      return withJson(reply, (body) => ({ ...body, bot: { ...bot, token: tokenOf(sent) } }));
    },
  };
}

const tokenForm = /^Bearer [\w-]{47}$/;

export default parseCatalogueTable(table, {
  values: { otherKey: () => Buffer.alloc(32, 9).toString('base64') },
  faults: {
    namesRevocation: withEnded((reply) => (reply.status === 401 ? refusal(401, 'token_revoked') : reply), true),
    refusesForm: {
      onRequest: (sent) => {
        const { authorization = '' } = sent.headers;
        const isWrong = authorization.startsWith('Bearer ') && !tokenForm.test(authorization);
        return isWrong ? refusal(400, 'invalid_input') : sent;
      },
    },
    cutsTokens: reads((header) => header.replace(/^(Bearer apt_[\w-]{43}).+$/, '$1')),
    revokesBoth,
    repeatsToken,
    repeatsTokenInWallets: {
      onReply: (reply, sent) =>
        isAbout(sent, 'GET /api/v1/wallet') ? withJson(reply, (body) => ({ ...body, token: tokenOf(sent) })) : reply,
    },
    repeatsTokenInFrames: {
      frames: { onEvent: (frame, { authorization }) => [frame.replace(/}$/, `,"for":"${authorization}"}`)] },
    },
  },
});
