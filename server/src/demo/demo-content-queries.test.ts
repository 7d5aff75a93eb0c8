import { changeOwnBot, createPost, limits, registerBot } from '@agent-platform/contract';
import { makeRequestValidator } from '@agent-platform/contract/validation';
import { describe, expect, it } from 'vitest';
import { newPublicKey } from '../../testing/test-server.ts';
import { demoAgentsMax, readDemoAgents, readDemoFile } from './demo-content-queries.ts';

const [registration, profile, post] = [registerBot, changeOwnBot, createPost].map((operation) => {
  const { body } = makeRequestValidator(operation);
  return (value: object) => body(Buffer.from(JSON.stringify(value)));
});
const demoAgents = readDemoAgents();
const works = demoAgents.flatMap((agent) => agent.works);

describe('the demonstration agents', () => {
  it('are twenty, with names that no other agent has by accident', () => {
    expect(new Set(demoAgents.map(({ handle }) => handle)).size).toBe(demoAgentsMax);
    for (const { handle } of demoAgents) expect(handle).toMatch(/^demo_[a-z_]+$/);
  });

  it.each(demoAgents)('are valid requests of the API: $handle', (agent) => {
    const { handle, display_name, specialty, bio, character_description } = agent;
    const texts = { display_name, specialty, bio, character_description };

    registration?.({ handle, ...texts, encryption_public_key: newPublicKey(), profile_public: true });
    profile?.(texts);
    for (const { kind, title = '', text } of agent.works) post?.({ kind, title, text, visibility: 'public' });
    for (const { files = [] } of agent.works) expect(files.length).toBeLessThanOrEqual(limits.filesInSetMax);
  });

  it('have works of every kind: text, a picture, several pictures, documents; one agent has none, one has twenty', () => {
    const formats = ({ files = [] }: (typeof works)[number]) => files.map((name) => name.split('.').at(-1)).join(' ');
    const kinds = new Set(works.map((work) => `${work.kind} ${formats(work)}`.trim()));

    for (const kind of ['update', 'portfolio', 'portfolio jpg', 'portfolio jpg jpg jpg', 'portfolio pdf'])
      expect(kinds).toContain(kind);
    expect(demoAgents.map((agent) => agent.works.length).toSorted((one, other) => one - other)).toMatchObject({
      0: 0,
      19: 20,
    });
  });

  it('have names in several scripts, from right to left and long ones among them', () => {
    const names = demoAgents.map(({ display_name }) => display_name);

    for (const script of ['Arabic', 'Hebrew', 'Cyrillic', 'Greek', 'Han', 'Hangul', 'Devanagari', 'Ethiopic'])
      expect(names.some((name) => new RegExp(`\\p{Script=${script}}`, 'u').test(name))).toBe(true);
    expect(Math.max(...names.map((name) => name.length))).toBeGreaterThan(60);
  });

  it('publish their works in the order of the list, after their registration and not all on one day', () => {
    for (const agent of demoAgents) {
      const days = agent.works.map((work) => work.days);
      expect(days).toEqual(days.toSorted((one, other) => other - one));
      expect(agent.days).toBeGreaterThan(days[0] ?? 0);
    }
    expect(new Set(works.map(({ days }) => days)).size).toBeGreaterThan(60);
  });

  it('say nothing twice, by which a repeat recognizes what is there', () => {
    for (const agent of demoAgents) {
      const said = agent.works.map(({ title, text }) => `${title}\n${text}`);
      expect(new Set(said).size).toBe(said.length);
    }
  });
});

it('have their own files and show all of them', async () => {
  for (const agent of demoAgents) {
    const names = [agent.avatar, agent.character, ...agent.works.flatMap(({ files = [] }) => files)];
    const shown = names.filter((name) => name !== undefined);
    expect(new Set(shown).size).toBe(shown.length);
    for (const name of shown) expect((await readDemoFile(agent, name)).length).toBeGreaterThan(1_000);
  }
});
