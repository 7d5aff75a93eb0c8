import type { RunWorld } from '../world/world.ts';
import { isTimestamp, isUuid } from './expectations.ts';
import type { Exchange } from './http/http-client.ts';
import { textsOf } from './json.ts';

/** Keeps what must not be in a report, and cuts it out. */
export type Redaction = ReturnType<typeof openRedaction>;

// Shorter texts are no secrets, and cutting them out would make nonsense of a report.
const secretMinLength = 8;

/** Opens an empty redaction. */
export function openRedaction(world: Pick<RunWorld, 'hide'>) {
  const secrets = new Set<string>();
  let sought: RegExp | undefined;
  const hide = (secret: string | undefined, isWrong = false): void => {
    if (secret === undefined || secret.length < secretMinLength) return;
    world.hide(secret, isWrong);
    if (secrets.has(secret)) return;
    secrets.add(secret);
    sought = undefined;
  };
  return {
    hide: (secret: string | undefined): void => hide(secret),
    /** Remembers every text of an answer that may hold a new token under any name. */
    hideTokensOf: ({ json, request }: Exchange): void => {
      for (const { path, text } of textsOf(json)) {
        // The passport is public; a date, an id and the path of the request open nothing.
        const isPublic = path.startsWith('bot.') || path.startsWith('error.') || text === request.path;
        if (!isPublic && !isTimestamp(text) && !isUuid(text)) hide(text);
      }
    },
    /** Remembers what a request says of its caller: also what is nearly a token gives one away. */
    hideAuthorization: (header: string | undefined): void => {
      const [, scheme, credentials] = /^(?:(\S+) )?(.*)$/.exec(header ?? '') ?? [];
      hide(credentials, true);
      const decoded = Buffer.from(credentials ?? '', 'base64').toString('utf8');
      if (scheme === 'Basic') hide(decoded.replace(/:$/, ''), true);
    },
    apply: (text: string): string => {
      if (secrets.size === 0) return text;
      // A server may give back a secret in any of these writings, and in any case of letters.
      sought ??= anyOf([...secrets].flatMap(writingsOf));
      return text.replaceAll(sought, '[secret]');
    },
  };
}

/** Finds any of these texts, whatever the case of its letters; the longest first, or the rest of one that begins with another would stay. */
export function anyOf(texts: readonly string[]): RegExp {
  const longestFirst = [...new Set(texts)].toSorted((one, other) => other.length - one.length);
  return new RegExp(longestFirst.map((one) => one.replaceAll(/[^\w]/g, String.raw`\$&`)).join('|'), 'gi');
}

/** The ways in which a server may write a secret; those of another secret are in the same order. */
export function writingsOf(secret: string): readonly string[] {
  return [
    ...[secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), Buffer.from(secret).toString('hex')],
    // In the middle of other base64 the characters at the edges depend on the neighbours.
    ...[0, 1, 2].map((skip) => {
      const text = Buffer.concat([Buffer.alloc(skip), Buffer.from(secret)]).toString('base64url');
      return text.slice(skip === 0 ? 0 : skip + 1, -1);
    }),
  ];
}
