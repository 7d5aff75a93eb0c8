import type { RunWorld } from '../world/world.ts';
import { isTimestamp, isUuid } from './expectations.ts';
import type { Exchange } from './http/http-client.ts';
import { listStrings } from './json.ts';

export type Redaction = ReturnType<typeof openRedaction>;

// Shorter texts are not secrets, and removing them would garble a report.
const secretMinLength = 8;

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
    /** Treats each string that may be a new token as a secret, whatever the name of its member. */
    hideTokensOf: ({ json, request }: Exchange): void => {
      for (const { path, text } of listStrings(json)) {
        // The public bot record, errors, dates, ids and the path of the request are not secret.
        const isPublic = path.startsWith('bot.') || path.startsWith('error.') || text === request.path;
        if (!isPublic && !isTimestamp(text) && !isUuid(text)) hide(text);
      }
    },
    /** Treats the credentials of a request as secrets, even if they contain only a part of a token. */
    hideAuthorization: (header: string | undefined): void => {
      const [, scheme, credentials] = /^(?:(\S+) )?(.*)$/.exec(header ?? '') ?? [];
      hide(credentials, true);
      const decoded = Buffer.from(credentials ?? '', 'base64').toString('utf8');
      if (scheme === 'Basic') hide(decoded.replace(/:$/, ''), true);
    },
    apply: (text: string): string => {
      if (secrets.size === 0) return text;
      // A server may return a secret in any of these encodings and in any letter case.
      sought ??= makeAnyOfPattern([...secrets].flatMap(encodingsOf));
      return text.replaceAll(sought, '[secret]');
    },
  };
}

/** Matches any of these texts, ignoring case; longest first, so that a text is never replaced only in part. */
export function makeAnyOfPattern(texts: readonly string[]): RegExp {
  const longestFirst = [...new Set(texts)].toSorted((one, other) => other.length - one.length);
  return new RegExp(longestFirst.map((one) => one.replaceAll(/[^\w]/g, String.raw`\$&`)).join('|'), 'gi');
}

/** The encodings of a secret in which a server may return it, in a fixed order. */
export function encodingsOf(secret: string): readonly string[] {
  return [
    ...[secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), Buffer.from(secret).toString('hex')],
    // Base64 of the secret inside a longer text, without the first and last characters, which depend on other bytes.
    ...[0, 1, 2].map((skip) => {
      const text = Buffer.concat([Buffer.alloc(skip), Buffer.from(secret)]).toString('base64url');
      return text.slice(skip === 0 ? 0 : skip + 1, -1);
    }),
  ];
}
