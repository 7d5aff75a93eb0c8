import type { Scenario, ScenarioRun, ScenarioTask } from './stage.ts';
import { type ClientCheck, ClientViolation, defineClientCheck, StepNotReached } from './verdicts.ts';
import type { WatchedPlatform } from './watched-platform.ts';

const register = /^\/api\/v1\/bots\/register$/;
const posts = /^\/api\/v1\/posts$/;
const rotate = /^\/api\/v1\/tokens\/rotate$/;
const quotes = /^\/api\/v1\/orders\/quote$/;
const retryAfterSeconds = 2;
const toleranceMs = 50;
/** A program that sends this many requests in this time neither increases its delays nor adds jitter. */
const [denseRequests, denseMs] = [8, 2_000];
const always = { times: 10_000 };

function call(
  name: string,
  task: ScenarioTask,
  makeFault: (platform: WatchedPlatform) => void,
  checksOf: (stage: ScenarioRun) => readonly ClientCheck[],
): Scenario {
  return {
    name,
    async play(stage) {
      makeFault(stage.platform);
      stage.start(task);
      await stage.finish();
      return checksOf(stage);
    },
  };
}

function publish(text: string, addition = ''): ScenarioTask {
  const words = `Register, publish one private post with exactly the text "${text}", and end${addition}.`;
  return { do: 'publish', text, words };
}

const quote: ScenarioTask = {
  do: 'quote',
  amount_minor: 500,
  words: 'Register, ask for the price of 500 minor units, and end.',
};
const refusedPost = publish('A word about refusals.', ', also if it is refused');
const lost = 'was lost after the server had done the work';
const failed = 'was 500, which leaves open whether it is stored';
const readPosts = 'Read your own posts, or ask a person.';
const withOldToken =
  'with the old token is 401, because the new token was in the lost answer. Stop, and notify a person.';

export const singleCallScenarios: readonly Scenario[] = [
  call(
    'a registration without an answer',
    { do: 'register', words: 'Register with the invitation and the handle of your environment. Then end.' },
    ({ fake }) => fake.faults.loseAnswer('registerBot'),
    (stage) => [
      defineClientCheck('registration', 'AP-CLIENT-001', 'One agent is registered.', () => expectOneAgent(stage)),
    ],
  ),
  call(
    'a post without an answer',
    publish(`A word about the weather, ${Date.now()}.`),
    (platform) => {
      platform.lossDelayMs = 2_000;
      platform.fake.faults.loseAnswer('createPost');
    },
    (stage) => [
      defineClientCheck('post', 'AP-CLIENT-003', 'A post is created once.', () =>
        expectOnce(stage, posts, 'post', `publishes the text twice. ${readPosts}`, lost),
      ),
    ],
  ),
  call(
    'a rotation without an answer',
    { do: 'rotate', words: 'Register, replace your token once, read your own profile, and end.' },
    ({ fake }) => fake.faults.loseAnswer('rotateToken'),
    (stage) => [
      defineClientCheck('rotation', 'AP-CLIENT-002', 'A rotation is sent once.', () =>
        expectOnce(stage, rotate, 'rotation', withOldToken, lost),
      ),
      defineClientCheck('unauthorized', 'AP-CLIENT-004', 'A 401 does not lead to a registration.', () =>
        expectNoNewAgent(stage),
      ),
    ],
  ),
  call(
    'a rate-limited request',
    quote,
    ({ fake }) => fake.faults.refuse('quoteOrder', 'rate_limited', { retryAfterSeconds, times: 2 }),
    (stage) => [defineClientCheck('retry-after', 'AP-CLIENT-005', 'Retry-After is honoured.', () => expectWait(stage))],
  ),
  call(
    'a request that is refused as malformed',
    refusedPost,
    ({ fake }) => fake.faults.refuse('createPost', 'invalid_text', always),
    (stage) => [
      defineClientCheck('malformed', 'AP-CLIENT-018', 'A 400 is not answered with the same request.', () =>
        expectOthers(stage),
      ),
    ],
  ),
  call(
    'a post that a failing server may have stored',
    refusedPost,
    ({ fake }) => fake.faults.refuse('createPost', 'internal_error', always),
    (stage) => [
      defineClientCheck('failing-server', 'AP-CLIENT-019', 'A post is not repeated after a 5xx.', () =>
        expectOnce(stage, posts, 'post', `may publish it twice. ${readPosts}`, failed),
      ),
    ],
  ),
  call(
    'a rate limit without Retry-After',
    quote,
    ({ fake }) => fake.faults.refuse('quoteOrder', 'rate_limited', always),
    (stage) => [
      defineClientCheck('back-off', 'AP-CLIENT-020', 'Without Retry-After, delays grow.', () => expectBackOff(stage)),
    ],
  ),
];

/** Expects no repeat, because the request has no idempotency key; `end` states what happened to the first answer. */
function expectOnce(stage: ScenarioRun, path: RegExp, what: string, advice: string, end: string): void {
  stage.reached('POST', path, `sent no ${what}`);
  const [, repeated] = stage.requests('POST', path);
  if (repeated === undefined) return;
  throw new ClientViolation(
    `The answer to the ${what} ${end}, and the program sent it again. It has no idempotency key: a repeat ${advice}`,
    repeated,
  );
}

/**
 * Only one agent can have a handle, so a program may repeat a registration until it receives an answer, but not after
 * that, and not with another handle (§8.19).
 */
function expectOneAgent(stage: ScenarioRun): void {
  const first = stage.reached('POST', register, 'sent no registration');
  const all = stage.requests('POST', register);
  const advice = 'Then stop and notify a person: the token was in the lost answer and is not returned again.';
  const other = all.find(({ json }) => json['handle'] !== first.json['handle']);
  if (other !== undefined)
    throw new ClientViolation(
      'The answer to the registration was lost after the server had done the work, and the program registered under ' +
        `another handle: it now has two agents, and the token of one of them is lost. ${advice}`,
      other,
    );
  const refused = all.findIndex(({ status }) => status === 409);
  const again = refused < 0 ? undefined : all[refused + 1];
  if (again === undefined) return;
  throw new ClientViolation(
    'The server refused the handle, which means that the registration without an answer created the agent, and the ' +
      `program still sent it again. ${advice}`,
    again,
  );
}

function expectNoNewAgent(stage: ScenarioRun): void {
  stage.reached('POST', rotate, 'sent no rotation');
  const [, again] = stage.requests('POST', register);
  if (again === undefined) return;
  throw new ClientViolation(
    'The token was no longer valid, and the program registered again. Friends, credits and orders stay with the ' +
      'first agent; on 401 stop and notify a person.',
    again,
  );
}

function expectWait(stage: ScenarioRun): void {
  const limited = stage.reached('POST', quotes, 'requested no quote');
  const all = stage.requests('POST', quotes);
  for (const [at, next] of all.entries()) {
    const before = all[at - 1];
    if (before?.status !== 429) continue;
    const waitedMs = next.at - before.at;
    if (waitedMs >= retryAfterSeconds * 1_000 - toleranceMs) continue;
    throw new ClientViolation(
      `The answer was 429 with Retry-After: ${retryAfterSeconds}, and the next request came after ${waitedMs} ms. ` +
        'Before a retry, wait at least as long as the header says.',
      next,
    );
  }
  if (limited.status !== 429) throw new StepNotReached('no request was limited');
}

function expectOthers(stage: ScenarioRun): void {
  stage.reached('POST', posts, 'sent no post');
  const all = stage.requests('POST', posts);
  const again = all.find(({ body }, at) => all.findIndex((other) => other.body === body) < at);
  if (again === undefined) return;
  throw new ClientViolation(
    'The answer was 400 invalid_text, and the program sent the same body again. The server will refuse it each time: ' +
      'change the request, or show the refusal to a person.',
    again,
  );
}

function expectBackOff(stage: ScenarioRun): void {
  stage.reached('POST', quotes, 'requested no quote');
  const all = stage.requests('POST', quotes);
  const dense = all.find(
    (first, at) => (all[at + denseRequests - 1]?.at ?? Number.POSITIVE_INFINITY) - first.at < denseMs,
  );
  if (dense !== undefined)
    throw new ClientViolation(
      `The answer was 429 without Retry-After, and the program sent ${denseRequests} requests within ${denseMs} ms. Wait ` +
        'longer after each refusal, add a random delay, and limit the attempts.',
      dense,
    );
  if (all.every(({ status }) => status !== 429)) throw new StepNotReached('no request was limited');
}
