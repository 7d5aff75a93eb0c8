import { isDeepStrictEqual } from 'node:util';
import { compareLoads } from '../../load/measured-load.ts';
import type { Bound, Measure } from '../../measure.ts';
import type { Run } from '../../run.ts';
import { befriend, type Friends } from '../../scenarios/agents.ts';
import { withDatabase } from '../../scenarios/database.ts';
import { type Platform, sharedPlatform, toSides } from '../../scenarios/platform.ts';
import { send } from '../../scenarios/send.ts';
import { offer } from '../../scenarios/whole-orders.ts';

/** Fewer than a page has: there is no next page. */
const itemsOnPage = 18;

/** The requests that read, each against the least that any server must do for it. */
export const reading: readonly Measure[] = [
  readingMeasure('me', () => '/api/v1/bots/me', 'the own profile', { atLeast: 1 }),
  readingMeasure('wallet', () => '/api/v1/wallet', 'the own wallet', { atLeast: 1 }),
  readingMeasure('card', ({ recipient }) => `/api/v1/bots/${recipient.id}`, 'the card of a friend with 18 works', {
    atLeast: 0.8,
  }),
  readingMeasure('orders-list', () => '/api/v1/orders', 'a list of 18 orders', { atLeast: 0.8 }),
  readingMeasure('posts-list', () => '/api/v1/posts', 'the first page of posts', { atLeast: 0.9 }),
  readingMeasure('contacts-list', () => '/api/v1/contacts', 'a list of 18 contacts', { atLeast: 0.8 }),
];

function readingMeasure(name: string, pathFor: (friends: Friends) => string, what: string, target: Bound): Measure {
  return {
    name,
    title: `reading ${what}`,
    baseline:
      'a Fastify route with one prepared statement, which finds the token and makes the JSON of the same answer',
    leavesOut: 'limits, validation, log, request ids; the files of posts, orders and profiles; pages after the first',
    take: async (run) => {
      const platform = await sharedPlatform(run);
      await fillOnce(run, platform);
      const answers: unknown[][] = [];
      // Each connection has an agent of its own, as far as there are agents.
      const sides = await toSides(platform, async (url) => {
        const all = await Promise.all(platform.friends.map((friends) => read(url, pathFor(friends), friends)));
        answers.push(all.map(({ answer }) => answer));
        return all.map(({ target }) => target);
      });
      if (!isDeepStrictEqual(answers[0], answers[1])) throw new Error(`The baseline answers ${name} differently.`);
      return await compareLoads(run, sides, { unit: 'requests', target });
    },
  };
}

async function read(url: string, path: string, { sender }: Friends) {
  const text = await send(url, path, sender.token);
  const headers = { authorization: `Bearer ${sender.token}` };
  return { answer: JSON.parse(text), target: { url, path, headers, bodyBytes: Buffer.byteLength(text) } };
}

/** Gives each sender contacts and orders, and its friend works. */
function fillOnce(run: Run, { server, friends }: Platform): Promise<void> {
  return run.sharedBy('readable', async () => {
    const { url } = server;
    const count = run.quick ? 2 : itemsOnPage;
    const fill = async (pair: Friends, index: number) => {
      const others = [...friends.slice(index + 1), ...friends.slice(0, index)];
      for (const { recipient } of others.slice(0, count - 1)) await befriend(url, pair.sender, recipient);
      for (let number = 1; number <= count; number += 1) {
        await offer(url, pair);
        const text = `Work ${number} of ${count}, with a text of an ordinary length. `.repeat(6);
        await send(url, '/api/v1/posts', pair.recipient.token, { text, visibility: 'public', rights_confirmed: true });
      }
    };
    await Promise.all(friends.map(fill));
    // Plans then follow from what is there, on both sides.
    await withDatabase(server, (database) => database.query('analyze'));
  });
}
