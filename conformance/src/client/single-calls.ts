import { expectOnce } from './expect-once.ts';
import type { Scenario } from './scenario.ts';
import type { Stage } from './stage.ts';
import { Misstep, Unreached } from './verdicts.ts';

const register = /^\/api\/v1\/bots\/register$/;
const posts = /^\/api\/v1\/posts$/;
const rotate = /^\/api\/v1\/tokens\/rotate$/;
const quotes = /^\/api\/v1\/orders\/quote$/;
const retryAfterSeconds = 2;
const toleranceMs = 50;
const lost = 'was lost after the server had done the work';

const registration: Scenario = {
  name: 'a registration without an answer',
  async play(stage) {
    stage.platform.fake.faults.loseAnswer('registerBot');
    stage.start({
      do: 'register',
      words: 'Register with the invitation and the handle of your environment. Then end.',
    });
    await stage.finish();
    const judge = () => expectOneAgent(stage);
    return [{ id: 'client.registration', covers: ['AP-CLIENT-001'], rule: 'One agent is registered.', judge }];
  },
};

/** A handle makes one agent, so the same registration may be sent until it is answered; not afterwards, and no other (§8.19). */
function expectOneAgent(stage: Stage): void {
  const first = stage.reached('POST', register, 'sent no registration');
  const all = stage.requests('POST', register);
  const advice = 'Stop then, and tell a person: the token was in the lost answer and does not come again.';
  const other = all.find(({ json }) => json['handle'] !== first.json['handle']);
  if (other !== undefined)
    throw new Misstep(
      'The answer to the registration was lost after the server had done the work, and the program registered under ' +
        `another handle: it has two agents now, and the token of one of them is nowhere. ${advice}`,
      other,
    );
  const refused = all.findIndex(({ status }) => status === 409);
  const again = refused < 0 ? undefined : all[refused + 1];
  if (again === undefined) return;
  throw new Misstep(
    'The server refused the handle, which says that the registration without an answer has made the agent, and the ' +
      `program sent it again all the same. ${advice}`,
    again,
  );
}

const publication: Scenario = {
  name: 'a post without an answer',
  async play(stage) {
    const text = `A word about the weather, ${Date.now()}.`;
    stage.platform.lossDelayMs = 2_000;
    stage.platform.fake.faults.loseAnswer('createPost');
    stage.start({
      do: 'publish',
      text,
      words: `Register, publish one private post with exactly the text "${text}", and end.`,
    });
    await stage.finish();
    const advice = 'publishes the text twice. Read the own posts, or leave the question to a person.';
    const judge = () => expectOnce(stage, posts, 'post', advice, lost);
    return [{ id: 'client.post', covers: ['AP-CLIENT-003'], rule: 'A post is created once.', judge }];
  },
};

const rotation: Scenario = {
  name: 'a rotation without an answer',
  async play(stage) {
    stage.platform.fake.faults.loseAnswer('rotateToken');
    stage.start({ do: 'rotate', words: 'Register, replace your token once, read your own profile, and end.' });
    await stage.finish();
    const advice =
      'with the old token is 401, since the new one was issued, in the lost answer. Stop, and tell a person.';
    const noNewAgent = () => {
      stage.reached('POST', rotate, 'sent no rotation');
      const [, again] = stage.requests('POST', register);
      if (again === undefined) return;
      throw new Misstep(
        'The token was no longer valid, and the program registered again. Friends, credits and orders stay with the ' +
          'first agent; on 401 stop and tell a person.',
        again,
      );
    };
    return [
      {
        ...{ id: 'client.rotation', covers: ['AP-CLIENT-002'], rule: 'A rotation is sent once.' },
        judge: () => expectOnce(stage, rotate, 'rotation', advice, lost),
      },
      {
        id: 'client.unauthorized',
        covers: ['AP-CLIENT-004'],
        rule: 'A 401 leads to no registration.',
        judge: noNewAgent,
      },
    ];
  },
};

const limited: Scenario = {
  name: 'a request that is limited',
  async play(stage) {
    stage.platform.fake.faults.refuse('quoteOrder', 'rate_limited', { retryAfterSeconds, times: 2 });
    stage.start({ do: 'quote', amount_minor: 500, words: 'Register, ask for the price of 500 minor units, and end.' });
    await stage.finish();
    const judge = () => {
      const limitedOne = stage.reached('POST', quotes, 'asked for no price');
      const all = stage.requests('POST', quotes);
      for (const [at, next] of all.entries()) {
        const before = all[at - 1];
        if (before?.status !== 429) continue;
        const waitedMs = next.at - before.at;
        if (waitedMs >= retryAfterSeconds * 1_000 - toleranceMs) continue;
        throw new Misstep(
          `The answer was 429 with Retry-After: ${retryAfterSeconds}, and the next request came after ${waitedMs} ms. ` +
            'Wait as long as the header says before the request is sent again.',
          next,
        );
      }
      if (limitedOne.status !== 429) throw new Unreached('no request was limited');
    };
    return [{ id: 'client.retry-after', covers: ['AP-CLIENT-005'], rule: 'Retry-After is honoured.', judge }];
  },
};

/** The scenarios of a single call. */
export const singleCalls: readonly Scenario[] = [registration, publication, rotation, limited];
