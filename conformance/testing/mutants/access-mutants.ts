import {
  inAnswer,
  inBot,
  isAbout,
  json,
  type Mutant,
  mutant,
  otherStatus,
  parse,
  refusal,
  tokenOf,
  withToken,
} from '../faults.ts';
import type { Fault, PassingAnswer, PassingRequest } from '../proxy.ts';

const me = 'GET /api/v1/bots/me';
const rotate = 'POST /api/v1/tokens/rotate';
const revoke = 'POST /api/v1/tokens/revoke';

/** Servers that let the wrong ones in, or end tokens wrongly. */
export const accessMutants: readonly Mutant[] = [
  mutant('lets anybody search', ['access.absent'], () => letsIn((request) => isAbout(request, 'GET /api/v1/bots'))),
  mutant('lets anybody read cards', ['access.absent'], () =>
    letsIn((request) => isAbout(request, 'GET /api/v1/bots/*') && request.path.length > 30),
  ),
  mutant('lets anybody read posts', ['access.absent'], () =>
    letsIn((request) => isAbout(request, 'GET /api/v1/posts')),
  ),
  mutant('answers 403 without a token', ['access.absent', 'access.wrong', 'access.scheme'], () => ({
    onAnswer: (answer) => (answer.status === 401 ? { ...answer, status: 403 } : answer),
  })),
  mutant('names another code without a token', ['access.absent', 'access.wrong', 'access.scheme'], () => ({
    onAnswer: (answer) => (answer.status === 401 ? refusal(401, 'unauthenticated') : answer),
  })),
  mutant('looks at the beginning of a token alone', ['access.wrong'], () => {
    const known = new Set<string>();
    return {
      onRequest: (request) => {
        const token = tokenOf(request);
        const right = token && [...known].find((good) => good.slice(0, 20) === token.slice(0, 20));
        return right ? withToken(request, right) : request;
      },
      onAnswer: (answer, request) => {
        const token = tokenOf(request);
        if (answer.status === 200 && token !== undefined && known.size === 0) known.add(token);
        return answer;
      },
    };
  }),
  mutant('takes a token under any scheme', ['access.scheme'], () => ({
    onRequest: (request) => {
      const token = request.headers['authorization']?.replace(/^Token /, '');
      return token?.startsWith('apt_') ? withToken(request, token) : request;
    },
  })),
  mutant('answers the passport of whoever came first', ['access.identity'], () => {
    let first: PassingAnswer | undefined;
    return {
      onAnswer: (answer, request) => {
        if (!isAbout(request, me) || answer.status !== 200) return answer;
        first ??= answer;
        return first;
      },
    };
  }),
  mutant('repeats the token in the passport', ['tokens.secret'], () => ({
    onAnswer: (answer, request) =>
      isAbout(request, me) && answer.status === 200
        ? json(200, { ...parse(answer.body), token: tokenOf(request) })
        : answer,
  })),
  mutant('answers 202 to a rotation', ['tokens.rotate', 'tokens.rotate-unread'], () => ({
    onAnswer: (answer, request) =>
      isAbout(request, rotate) && answer.status === 200 ? { ...answer, status: 202 } : answer,
  })),
  mutant('rotates nothing', ['tokens.rotate', 'tokens.rotate-unread'], () => ({
    onRequest: (request) =>
      isAbout(request, rotate) && tokenOf(request) ? json(200, { token: tokenOf(request) }) : request,
  })),
  mutant('keeps the new token to itself', ['tokens.rotate'], () => inAnswer(rotate, 200, () => ({ rotated: true }))),
  mutant('leaves the old token alive after a rotation', ['tokens.rotate', 'tokens.rotate-unread'], () => {
    const next = new Map<string, string>();
    return {
      onRequest: (request) => {
        const newer = next.get(tokenOf(request) ?? '');
        return newer === undefined ? request : withToken(request, newer);
      },
      onAnswer: (answer, request) => {
        const given = isAbout(request, rotate) ? parse(answer.body)?.['token'] : undefined;
        if (typeof given === 'string') next.set(tokenOf(request) ?? '', given);
        return answer;
      },
    };
  }),
  mutant('loses the key with a rotation', ['tokens.rotate'], () => afterRotation('encryption_public_key')),
  mutant('changes the handle with a rotation', ['tokens.rotate'], () => afterRotation('handle')),
  mutant('reads the body of a rotation', ['tokens.rotate-unread'], () => ({
    onRequest: (request) =>
      isAbout(request, rotate) && request.body !== '' && parse(request.body) === undefined
        ? refusal(400, 'invalid_input')
        : request,
  })),
  mutant('answers 202 to a revocation', ['tokens.revoke'], () => otherStatus(revoke, 200, 202)),
  mutant('revokes nothing', ['tokens.revoke'], () => ({
    onRequest: (request) => (isAbout(request, revoke) && tokenOf(request) ? json(200, { revoked: true }) : request),
  })),
  mutant('revokes the tokens of everybody', ['tokens.revoke'], () => {
    let isOver = false;
    return {
      onRequest: (request) => {
        if (isOver) return refusal(401, 'unauthorized');
        isOver = isAbout(request, revoke) && tokenOf(request) !== undefined;
        return request;
      },
    };
  }),
  mutant('rotates tokens that were revoked', ['tokens.revoke'], () => ({
    onAnswer: (answer, request) =>
      isAbout(request, rotate) && answer.status === 401 ? json(200, { token: 'new-token' }) : answer,
  })),
];

/** Lends a request without a token the last one that worked. */
function letsIn(isLent: (request: PassingRequest) => boolean): Fault {
  let last = '';
  return {
    onRequest: (request) => (tokenOf(request) === undefined && isLent(request) ? withToken(request, last) : request),
    onAnswer: (answer, request) => {
      if (answer.status === 200) last = tokenOf(request) ?? last;
      return answer;
    },
  };
}

function afterRotation(name: string): Fault {
  let isRotated = false;
  return {
    onAnswer: (answer, request) => {
      isRotated ||= isAbout(request, rotate) && answer.status === 200;
      const damage = inBot(me, 200, (bot) => {
        bot[name] = 'other';
      });
      return isRotated ? (damage.onAnswer?.(answer, request) ?? answer) : answer;
    },
  };
}
