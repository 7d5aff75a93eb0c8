import { isTimestamp, isUuid } from './expectations.ts';
import type { Exchange } from './http/http-client.ts';
import { textsOf } from './json.ts';

/** Keeps what must not be in a report, and cuts it out. */
export type Redaction = ReturnType<typeof openRedaction>;

// Shorter texts are no secrets, and cutting them out would make nonsense of a report.
const secretMinLength = 8;

/** Opens an empty redaction. */
export function openRedaction() {
  const secrets = new Set<string>();
  let sought: RegExp | undefined;
  const hide = (secret: string | undefined): void => {
    if (secret === undefined || secret.length < secretMinLength || secrets.has(secret)) return;
    secrets.add(secret);
    sought = undefined;
  };
  return {
    hide,
    /** Remembers every text of an answer that may hold a new token under any name. */
    hideTokensOf: ({ json }: Exchange): void => {
      for (const { path, text } of textsOf(json)) {
        // The passport is public; a date and an id open nothing.
        if (!path.startsWith('bot.') && !path.startsWith('error.') && !isTimestamp(text) && !isUuid(text)) hide(text);
      }
    },
    /** Remembers what a request says of its caller: also what is nearly a token gives one away. */
    hideAuthorization: (header: string | undefined): void => {
      const [, scheme, credentials] = /^(?:(\S+) )?(.*)$/.exec(header ?? '') ?? [];
      hide(credentials);
      if (scheme === 'Basic')
        hide(
          Buffer.from(credentials ?? '', 'base64')
            .toString('utf8')
            .replace(/:$/, ''),
        );
    },
    apply: (text: string): string => {
      sought ??= patternOf(secrets);
      return sought === undefined ? text : text.replaceAll(sought, '[secret]');
    },
  };
}

// Longer ones first, or the rest of a secret that begins with another would stay. A
// server may give back a secret in any of these writings, and in any case of letters.
function patternOf(secrets: ReadonlySet<string>): RegExp | undefined {
  const writings = [...secrets].flatMap((secret) => [
    ...[secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), Buffer.from(secret).toString('hex')],
    ...[0, 1, 2].map((skip) => base64At(secret, skip)),
  ]);
  if (writings.length === 0) return undefined;
  const longestFirst = [...new Set(writings)].toSorted((one, other) => other.length - one.length);
  return new RegExp(longestFirst.map((writing) => writing.replaceAll(/[^\w]/g, String.raw`\$&`)).join('|'), 'gi');
}

// In the middle of other base64 the characters at the edges depend on the neighbours.
function base64At(secret: string, skip: number): string {
  const text = Buffer.concat([Buffer.alloc(skip), Buffer.from(secret)]).toString('base64url');
  return text.slice(skip === 0 ? 0 : skip + 1, -1);
}
