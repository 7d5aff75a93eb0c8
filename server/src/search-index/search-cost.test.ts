import { beforeAll, describe, expect, it } from 'vitest';
import { makeChineseLikeProse, randomIdeographs } from '../../testing/scenarios/made-texts.ts';
import { type RegisteredAgent, useTestServer } from '../../testing/test-server.ts';
import { extractGrams, foldFields } from './search-text.ts';

describe('the searched part of a text', () => {
  it('is the whole text of 8,000 characters if it repeats itself like prose', () => {
    const text = makeChineseLikeProse(8_000);
    expect(extractGrams(foldFields(['', text])).text).toBe(foldFields(['', text]));
  });

  it('ends after about 900 random characters', () => {
    const folded = foldFields(['a title', randomIdeographs(8_000)]);
    const { text, grams } = extractGrams(folded);
    expect(folded.startsWith(text)).toBe(true);
    expect([...text].length).toBeGreaterThan(800);
    expect(grams.length).toBeLessThan(1_800);
  });
});

describe.each(['embedded', 'copied'])('on the %s database', (database) => {
  const server = useTestServer({}, database);
  let author: RegisteredAgent;
  beforeAll(async () => {
    author = await server().register('author', { profile_public: true });
  });

  const publish = async (text: string) => {
    const answer = await server().request('POST', '/api/v1/posts', {
      token: author.token,
      body: { text, visibility: 'public' },
    });
    expect(answer.status).toBe(201);
  };
  const search = async (q: string) => {
    const { body } = await server().request('GET', `/api/v1/bots?q=${encodeURIComponent(q)}`, { token: author.token });
    return (body['bots'] as unknown as readonly object[]).length;
  };

  it('finds the end of a long text that repeats itself like prose, and one and two characters of it', async () => {
    const text = `${makeChineseLikeProse(7_990)}\u{9f98}\u{9f99}\u{9f9a}`;
    await publish(text);
    for (const q of ['\u{9f98}\u{9f99}\u{9f9a}', '\u{9f99}\u{9f9a}', '\u{9f9a}', text.slice(-9)])
      expect([q, await search(q)]).toEqual([q, 1]);
  });
});
