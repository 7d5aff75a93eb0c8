import type { Faults } from '@agent-platform/sdk/testing';
import { expectOnce } from './expect-once.ts';
import type { Scenario } from './scenario.ts';
import type { Stage, Task } from './stage.ts';
import { type ClientCheck, Misstep, Unreached } from './verdicts.ts';

const always = { times: 10_000 };
const posts = /^\/api\/v1\/posts$/;
const quotes = /^\/api\/v1\/orders\/quote$/;
/** Requests in such a time leave no room for growing waits with jitter, whatever the first of them is. */
const [denseRequests, denseMs] = [8, 2_000];

/** A call that is refused whenever it is sent, and what is judged of it. */
interface Refused {
  readonly name: string;
  readonly path: RegExp;
  readonly refusal: Parameters<Faults['refuse']>;
  readonly task: Task;
  readonly check: Omit<ClientCheck, 'judge'>;
  readonly judge: (stage: Stage, path: RegExp) => void;
}

function refused({ name, path, refusal, task, check, judge }: Refused): Scenario {
  return {
    name,
    async play(stage) {
      stage.platform.fake.faults.refuse(...refusal);
      stage.start(task);
      await stage.finish();
      return [{ ...check, judge: () => judge(stage, path) }];
    },
  };
}

const text = 'A word about refusals.';
const publish: Task = {
  do: 'publish',
  text,
  words: `Register, publish one private post with exactly the text "${text}", and end, also if it is refused.`,
};

const malformed = refused({
  name: 'a request that is called malformed',
  path: posts,
  refusal: ['createPost', 'invalid_text', always],
  task: publish,
  check: { id: 'client.malformed', covers: ['AP-CLIENT-018'], rule: 'A 400 is not answered with the same request.' },
  judge: (stage, path) => {
    stage.reached('POST', path, 'sent no post');
    const all = stage.requests('POST', path);
    const again = all.find(({ body }, at) => all.findIndex((other) => other.body === body) < at);
    if (again === undefined) return;
    throw new Misstep(
      'The answer was 400 invalid_text, and the program sent the same body again. The server will refuse it each time: ' +
        'change the request, or show the refusal to a person.',
      again,
    );
  },
});

const failing = refused({
  name: 'a post that a failing server may have stored',
  path: posts,
  refusal: ['createPost', 'internal_error', always],
  task: publish,
  check: { id: 'client.failing-server', covers: ['AP-CLIENT-019'], rule: 'A post is not repeated after a 5xx.' },
  judge: (stage, path) => {
    const advice = 'may publish it twice. Read the own posts, or leave the question to a person.';
    expectOnce(stage, path, 'post', advice, 'was 500, which leaves open whether it is stored');
  },
});

const limitless = refused({
  name: 'a limit that does not say for how long',
  path: quotes,
  refusal: ['quoteOrder', 'rate_limited', always],
  task: { do: 'quote', amount_minor: 500, words: 'Register, ask for the price of 500 minor units, and end.' },
  check: { id: 'client.back-off', covers: ['AP-CLIENT-020'], rule: 'Without Retry-After the waits grow.' },
  judge: (stage, path) => {
    stage.reached('POST', path, 'asked for no price');
    const all = stage.requests('POST', path);
    const dense = all.find(
      (first, at) => (all[at + denseRequests - 1]?.at ?? Number.POSITIVE_INFINITY) - first.at < denseMs,
    );
    if (dense !== undefined)
      throw new Misstep(
        `The answer was 429 without Retry-After, and the program sent ${denseRequests} requests within ${denseMs} ms. Wait ` +
          'longer after each refusal, with a random part, and give up after some.',
        dense,
      );
    if (all.every(({ status }) => status !== 429)) throw new Unreached('no request was limited');
  },
});

/** The scenarios of a call that is refused each time. */
export const refusedCalls: readonly Scenario[] = [malformed, failing, limitless];
