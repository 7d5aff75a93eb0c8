import { isDeepStrictEqual } from 'node:util';
import { compareLoads } from '../load/measured-load.ts';
import type { Measure } from '../measure.ts';
import type { FriendPair } from '../scenarios/agents.ts';
import { getSharedPlatform, makeComparisonSides } from '../scenarios/platform.ts';
import { sendRequest } from '../scenarios/send.ts';

export const readingMeasures: readonly Measure[] = [
  readingMeasure('me', '/api/v1/bots/me', 'the own profile'),
  readingMeasure('wallet', '/api/v1/wallet', 'the own wallet'),
];

function readingMeasure(name: string, path: string, what: string): Measure {
  return {
    name,
    title: `reading ${what}`,
    baseline:
      'a Fastify route with one prepared statement, which finds the token and makes the JSON of the same answer',
    leavesOut: 'limits, validation, log, request ids, the files of profiles',
    take: async (run) => {
      const platform = await getSharedPlatform(run);
      const answers: unknown[][] = [];
      const sides = await makeComparisonSides(platform, async (url) => {
        const all = await Promise.all(platform.friends.map((friends) => read(url, path, friends)));
        answers.push(all.map(({ answer }) => answer));
        return all.map(({ target }) => target);
      });
      if (!isDeepStrictEqual(answers[0], answers[1])) throw new Error(`The baseline responds differently to ${name}.`);
      return await compareLoads(run, sides, { unit: 'requests', target: { atLeast: 1 } });
    },
  };
}

async function read(url: string, path: string, { sender }: FriendPair) {
  const text = await sendRequest(url, path, sender.token);
  const headers = { authorization: `Bearer ${sender.token}` };
  return { answer: JSON.parse(text), target: { url, path, headers, bodyBytes: Buffer.byteLength(text) } };
}
