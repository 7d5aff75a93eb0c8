import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import catalogue from '@agent-platform/cli-core/commands.json' with { type: 'json' };
import { fileCredentials } from '@agent-platform/sdk';
import { FakePlatform } from '@agent-platform/sdk/testing';
import { allowableClasses, allTools } from '@agent-platform/sdk/tools';
import { inheritedEnvironment } from '@agent-platform/testing';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it } from 'vitest';
import { isPublished, makeInstallLines } from '../../install-lines.ts';
import { mcpMainFile } from '../testing/agents.ts';
import { makeClient } from '../testing/connect.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const readme = read('mcp/README.md');
const guide = read('mcp/docs/give-an-llm-an-agent.md');

const blocksOf = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block);

/** Finds the commands in a document that start the server, in client settings or in a shell. */
function findCommands(text: string): readonly (readonly string[])[] {
  const settings = blocksOf(text, 'json').flatMap((block) => {
    const parsed = JSON.parse(block);
    const servers = parsed.mcpServers ?? parsed.servers ?? parsed.context_servers ?? {};
    return Object.values<{ command: string; args: string[] }>(servers).map(({ command, args }) => [command, ...args]);
  });
  const toml = blocksOf(text, 'toml').map((block) => {
    const [, command = '', args = '[]'] = /^command = "(.*)"\nargs = (\[.*\])$/m.exec(block) ?? [];
    return [command, ...JSON.parse(args)];
  });
  const lines = [...text.matchAll(/^(?:claude mcp add \S+ -- )?(np[mx] -[^ ]* .*)$/gm)].map(([, line = '']) =>
    line.split(' '),
  );
  return [...settings, ...toml, ...lines];
}

it('documents commands that start the server', async () => {
  const commands = [...findCommands(readme), ...findCommands(guide)];
  expect(commands.length).toBeGreaterThanOrEqual(9);
  const { start } = makeInstallLines('mcp', isPublished);
  expect(commands.map((words) => words.slice(0, start.length + 2).join(' '))).toEqual(
    commands.map(() => `${start.join(' ')} --profile alice`),
  );
  const home = makeTestFolder();
  const credentials = fileCredentials(join(home, 'profiles', 'alice.json'));
  await new FakePlatform().agent('alice', { credentials });
  const distinct = new Set(
    commands.map((words) => words.slice(start.length).join(' ')).filter((words) => !words.includes('--http')),
  );

  const counts = await Promise.all(
    [...distinct].map(async (words) => {
      const client = makeClient('modern', undefined);
      const args = [mcpMainFile, ...words.split(' ')];
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args,
          env: { ...inheritedEnvironment(), AGENTP_HOME: home },
          stderr: 'ignore',
        }),
      );
      const { tools } = await client.listTools();
      await client.close();
      return tools.length;
    }),
  );

  expect(counts.toSorted()).toEqual([32, 7].toSorted());
});

it('describes every option, tool and class', () => {
  const mcp = catalogue.commands.find(({ command }) => command === 'mcp');
  const options = Object.keys(Object(mcp?.in).properties);
  expect(options.length).toBeGreaterThan(5);
  for (const name of options) expect(readme).toContain(`\`--${name}`);
  for (const { name } of allTools) expect(readme).toContain(`\`${name}\``);
  for (const name of allowableClasses) expect(readme).toContain(`\`--allow ${name}\``);
});
