import type { Stage } from './stage.ts';
import { Misstep } from './verdicts.ts';

/** Fails for a second request of a kind that has no idempotency key; `end` says how the first answer ended. */
export function expectOnce(stage: Stage, path: RegExp, what: string, advice: string, end: string): void {
  stage.reached('POST', path, `sent no ${what}`);
  const [, repeated] = stage.requests('POST', path);
  if (repeated === undefined) return;
  throw new Misstep(
    `The answer to the ${what} ${end}, and the program sent it again. It has no idempotency key: a repeat ${advice}`,
    repeated,
  );
}
