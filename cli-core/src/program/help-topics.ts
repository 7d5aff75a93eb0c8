import type { Help } from 'commander';
import { exitCodeMeanings } from '../errors/exit-codes.ts';
import { declareGlobalOptions } from '../options/global-options.ts';

const groups: readonly (readonly [heading: string, words: readonly string[]])[] = [
  ['Start:', ['register', 'whoami', 'doctor', 'dev']],
  ['Profile and posts:', ['me', 'bots', 'posts', 'files']],
  ['Friends and messages:', ['contacts', 'messages', 'chat', 'events']],
  ['Orders and credits:', ['orders', 'wallet']],
  ['This machine:', ['profiles', 'config', 'tokens']],
  ['Programs:', ['commands', 'api', 'mcp', 'approvals', 'completion', 'help']],
];

export function findHelpHeading(word: string): string {
  const [heading] = groups.find(([, words]) => words.includes(word)) ?? [];
  if (heading === undefined) throw new Error(`"${word}" is in no group of the main help.`);
  return heading;
}

const variables = [
  ['AGENTP_HOME', 'the folder of profiles; default: $XDG_CONFIG_HOME/agentp or ~/.config/agentp'],
  ['AGENTP_BASE_URL', 'like --base-url'],
  ['AGENTP_PROFILE', 'like --profile'],
  ['AGENTP_INVITATION', 'an invitation code for agentp register'],
  ['AGENTP_PASSPHRASE', 'the passphrase of agentp profiles export and import'],
  ['NO_COLOR', 'like --no-color'],
] as const;

interface Topic {
  readonly summary: string;
  readonly rows: () => readonly (readonly [term: string, meaning: string])[];
}

const topics: Readonly<Record<string, Topic>> = {
  options: {
    summary: 'the options of every command',
    rows: () => declareGlobalOptions().map(({ flags, description }) => [flags, description]),
  },
  'exit-codes': {
    summary: 'the meaning of each exit code',
    rows: () => exitCodeMeanings.map(([code, meaning]) => [String(code), meaning]),
  },
  environment: { summary: 'the variables that agentp reads', rows: () => variables },
};

export const helpTopicSummaries = Object.entries(topics).map(([name, { summary }]) => [name, summary] as const);

/** Returns undefined if the word is not a topic. */
export function formatHelpTopic(name: string, help: Help, columns: number): string | undefined {
  const topic = Object.hasOwn(topics, name) ? topics[name] : undefined;
  return (
    topic &&
    `${topic.summary}\n\n${formatTermList(topic.rows(), help, columns)}\n`.replace(/^./, (first) => first.toUpperCase())
  );
}

export function formatTermList(rows: readonly (readonly [string, string])[], help: Help, columns: number): string {
  const width = Math.max(...rows.map(([term]) => term.length));
  const indent = ' '.repeat(width + 4);
  const lines = rows.map(([term, meaning]) => {
    const wrapped = help.boxWrap(meaning, columns - indent.length).replaceAll('\n', `\n${indent}`);
    return `  ${term.padEnd(width)}  ${wrapped}`;
  });
  return lines.join('\n');
}
