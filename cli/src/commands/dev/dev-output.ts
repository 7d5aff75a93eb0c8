import { quoteShellWord } from '@agent-platform/cli-core/errors/hint-commands';
import { formatAmount } from '@agent-platform/cli-core/output/amounts';
import { formatCard, type TextLayout } from '@agent-platform/cli-core/output/layout';
import type { StreamItem } from '@agent-platform/cli-core/output/report';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import * as sdk from '@agent-platform/sdk';
import type { DevAgent } from './first-order.ts';
import { memoryLimitations } from './memory-server.ts';
import { dataFolderOf, disabledLimits, disabledLimitsText, logFileOf } from './server-process.ts';

const agentData = schema.objectOf({
  profile: schema.text,
  handle: schema.text,
  id: schema.id,
  available_minor: schema.integer,
});

/** The data that `agentp dev` prints for a ready platform, for a removed one (only `status`), and for a grant. */
export const devDataSchema = schema.objectOf(
  { status: schema.enumOf('ready', 'removed', 'granted') },
  {
    agent: schema.text,
    amount_minor: schema.integer,
    available_minor: schema.integer,
    url: schema.text,
    home: schema.text,
    log: schema.text,
    agents: schema.listOf(agentData),
    order: schema.contractRecord('Order'),
    limits_off: schema.listOf(schema.text),
    try: schema.listOf(schema.text),
    seconds: schema.integer,
  },
);

interface ReadyPlatform {
  readonly isInMemory: boolean;
  readonly url: string;
  readonly folder: string;
  readonly home: string;
  readonly agents: readonly DevAgent[];
  readonly order: sdk.Order;
  readonly seconds: number;
  /** The words that start this program and the operator command. */
  readonly programs: { readonly agentp: string; readonly operator: string };
}

/** Commands for the user to try, with descriptions. Each causes an event for Bob or shows what happened. */
function commandsToTry(ready: ReadyPlatform): readonly (readonly [string, string])[] {
  const { isInMemory, folder, order, url } = ready;
  const { agentp, operator } = ready.programs;
  const dataFolder = `export PLATFORM_DATA_DIR=${quoteShellWord(dataFolderOf(folder))}`;
  const forOperators = [
    ['grant bob 50 credits', `${agentp} dev credits grant bob 50`],
    ['the operator of this server', dataFolder],
    ['… suspends an agent', `${operator} agents suspend bob`],
  ] as const;
  const offer = '--contractor bob --title "A second map" --amount 10 --confirm-total 11 --deadline 1d';
  return [
    ['see the order and its events', `${agentp} orders show ${order.id} --profile alice`],
    ['read the conversation', `${agentp} messages list alice --profile bob`],
    ['listen as bob, in another terminal', `${agentp} events listen --open --profile bob`],
    ['a message arrives', `${agentp} messages send bob "Is the pier safe?" --profile alice`],
    ['an offer arrives', `${agentp} orders create ${offer} --profile alice`],
    ['a stranger asks', `${agentp} register --handle carol --display-name Carol --base-url ${url}`],
    ['… to be a friend', `${agentp} contacts request bob --profile carol`],
    ...(isInMemory ? [] : forOperators),
  ];
}

export function makeReadyItem(ready: ReadyPlatform): StreamItem {
  const { isInMemory, url, folder, home, agents, order, seconds } = ready;
  const commands = commandsToTry(ready);
  return {
    data: {
      status: 'ready',
      url,
      home,
      ...(isInMemory ? {} : { log: logFileOf(folder), limits_off: disabledLimits }),
      agents,
      order,
      try: commands.map(([, line]) => line),
      seconds,
    },
    format: (page) =>
      [
        formatCard(page, `Ready after ${seconds} s: two friends with credits, and a finished order`, [
          ['address', url],
          ['contract', `${url}/openapi.json`],
          ...agents.map(
            ({ profile, available_minor }) => ['profile', `${profile}, ${formatAmount(available_minor)}`] as const,
          ),
          ['profiles in', home],
          ['order', `${order.id} (${order.state}: ${order.outcome})`],
          ['credits', describePayment(order)],
          ...(isInMemory
            ? [['in memory', memoryLimitations] as const]
            : [['limits off', disabledLimitsText] as const, ['server log', logFileOf(folder)] as const]),
        ]),
        formatTries(page, home, commands),
        '\nCtrl-C stops the server, and removes its data and these profiles.\n',
      ].join(''),
  };
}

/** Explains why the agents' balances are no longer equal. */
function describePayment({ customer, contractor, total_minor, amount_minor, fee_minor }: sdk.Order): string {
  const [total, amount, fee] = [total_minor, amount_minor, fee_minor].map(sdk.formatCredits);
  return `${customer.handle} paid ${total}: ${amount} to ${contractor.handle}, ${fee} commission`;
}

// Breaks long lines with a shell line continuation, because a terminal would wrap them.
function formatTries(page: TextLayout, home: string, commands: readonly (readonly [string, string])[]): string {
  const fold = (line: string) => (line.length > 96 ? line.replace(/^(.{40,90}) (?=--)/, '$1 \\\n    ') : line);
  const lines = commands.map(([what, line]) => `  ${page.paint('dim', `# ${what}`)}\n  ${fold(line)}\n`);
  return `\nTry, in a second terminal:\n\n  export AGENTP_HOME=${quoteShellWord(home)}\n${lines.join('')}`;
}

export const removedItem: StreamItem = { data: { status: 'removed' }, format: () => 'Removed.\n' };
