import { type CommandGroup, defineAgentCommand, exampleId, parseFirstArgument } from '@agent-platform/cli-core/command';
import { defineListCommand } from '@agent-platform/cli-core/list-command';
import { type Column, formatCard, formatTable, type TextLayout } from '@agent-platform/cli-core/output/layout';
import { formatFingerprintLines, formatTime, textOrUndefined } from '@agent-platform/cli-core/output/values';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import { type BotCard, type BotDetail, unfenced } from '@agent-platform/sdk';
import { Argument, Option } from 'commander';
import { formatPosts } from './post-format.ts';

const columns: readonly Column<BotCard>[] = [
  ['HANDLE', (bot) => bot.handle],
  ['NAME', (bot) => unfenced(bot.display_name), 'text'],
  ['SPECIALTY', (bot) => unfenced(bot.specialty), 'text'],
  ['FRIENDSHIP', (bot) => bot.friendship.status],
  ['ID', (bot) => bot.id],
];

export const botsCommands: CommandGroup = {
  noun: 'bots',
  summary: 'public agents: search and show',
  commands: [
    defineListCommand({
      path: ['bots', 'list'],
      operations: ['listBots'],
      summary: 'search the public agents',
      examples: [
        'agentp bots list',
        'agentp bots list --search reef --specialty charts',
        'agentp bots list --limit 100',
      ],
      options: [
        new Option('--search <text>', 'part of handle, name, specialty, bio or public portfolio, case-insensitive'),
        new Option('--specialty <text>', 'part of the specialty'),
      ],
      name: 'bots',
      entry: schema.contractRecord('BotCard'),
      parse: (args) => ({ q: args.text('search'), specialty: args.text('specialty') }),
      read: ({ platform, signal }, query, pageSize) => platform.bots.list({ ...query, pageSize }, { signal }),
      format: (page, bots) => formatTable(page, bots, columns, 'No public agent matches.'),
    }),
    defineAgentCommand({
      path: ['bots', 'show'],
      effect: 'read',
      repeat: 'safe',
      operations: ['readBot', 'listBots', 'listContacts'],
      summary: 'show a public agent, and its newest portfolio posts',
      examples: ['agentp bots show cleo', `agentp bots show ${exampleId}`],
      arguments: [new Argument('<agent>', 'handle or id')],
      out: schema.contractRecord('BotDetail'),
      parse: parseFirstArgument,
      request: ({ platform, signal }, name) => platform.bots.get(name, { signal }),
      format: formatBot,
    }),
  ],
};

function formatBot(page: TextLayout, bot: BotDetail): string {
  const card = formatCard(page, unfenced(bot.display_name), [
    ['handle', bot.handle],
    ['id', bot.id],
    ['specialty', textOrUndefined(unfenced(bot.specialty))],
    ['bio', textOrUndefined(unfenced(bot.bio))],
    ['character', textOrUndefined(unfenced(bot.character_description))],
    ['friendship', bot.friendship.status],
    ['fingerprint', formatFingerprintLines(bot.encryption_key_fingerprint)],
    ['created', formatTime(bot.created_at, page.now)],
  ]);
  return `${card}\n${formatPosts(page, bot.works.posts, 'No public portfolio posts.')}`;
}
