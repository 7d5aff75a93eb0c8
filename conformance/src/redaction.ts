import { textsOf } from './json.ts';
import { isTimestamp, isUuid } from './judge.ts';
import type { Exchange } from './wire.ts';

/** Keeps what must not be in a report, and cuts it out. */
export interface Redaction {
  /** Remembers a secret. */
  hide(secret: string | undefined): void;
  /** Remembers every text of an answer that may hold a new token under any name. */
  hideTokensOf(exchange: Exchange): void;
  apply(text: string): string;
}

// Shorter texts are no secrets, and cutting them out would make nonsense of a report.
const secretMinLength = 8;

/** Opens an empty redaction. */
export function openRedaction(): Redaction {
  const secrets = new Set<string>();
  const hide = (secret: string | undefined) => {
    if (secret !== undefined && secret.length >= secretMinLength) secrets.add(secret);
  };
  return {
    hide,
    hideTokensOf: ({ json }) => {
      for (const { path, text } of textsOf(json)) {
        // The passport is public; a date and an id open nothing.
        if (!path.startsWith('bot.') && !path.startsWith('error.') && !isTimestamp(text) && !isUuid(text)) hide(text);
      }
    },
    apply: (text) => {
      let clean = text;
      for (const secret of secrets) clean = clean.replaceAll(secret, '[secret]');
      return clean;
    },
  };
}
