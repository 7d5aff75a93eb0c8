import { type Command, type CommandDescription, defineAgentCommand } from './command.ts';
import { declareLimit, readLimit } from './options/option-groups.ts';
import type { ParsedArguments } from './options/parsed-arguments.ts';
import type { TextLayout } from './output/layout.ts';
import type { OpenedAgent } from './session/session.ts';
import { type DataSchema, flag, listOf, objectOf } from './surface/data-schema.ts';

/** The maximum page size of the API's lists with numbered pages. */
const pageSizeMax = 50;

interface ListDefinition<Query, Item> extends Omit<CommandDescription, 'out' | 'effect' | 'repeat'> {
  /** The data member that contains the entries. */
  readonly name: string;
  readonly entry: DataSchema;
  readonly parse: (args: ParsedArguments) => Query;
  /** Reads the entries, `pageSize` per request if the API allows it. */
  readonly read: (agent: OpenedAgent, query: Query, pageSize: number) => AsyncIterable<Item>;
  /** The JSON data of an entry, if it differs from the entry itself. */
  readonly data?: (entry: Item) => unknown;
  readonly format: (page: TextLayout, entries: readonly Item[], agent: OpenedAgent, query: Query) => string;
}

/** Defines a command that lists entries: at most `--limit` of them, or `--all`. */
export function defineListCommand<Query, Item>(definition: ListDefinition<Query, Item>): Command {
  const { name, entry, parse, read, data = (item) => item, format, options = [], ...rest } = definition;
  return defineAgentCommand({
    ...rest,
    effect: 'read',
    repeat: 'safe',
    options: [...options, ...declareLimit()],
    out: objectOf({ [name]: listOf(entry), has_more: flag }),
    parse: (args) => ({ query: parse(args), limit: readLimit(args) }),
    request: (agent, { query, limit }) => take(read(agent, query, Math.min(limit + 1, pageSizeMax)), limit),
    data: ({ entries, hasMore }) => ({ [name]: entries.map(data), has_more: hasMore }),
    format: (page, { entries }, agent, { query }) => format(page, entries, agent, query),
    notes: ({ entries, hasMore }) => (hasMore ? [`More entries: --limit ${2 * entries.length}, or --all`] : []),
  });
}

async function take<Item>(items: AsyncIterable<Item>, limit: number) {
  const entries: Item[] = [];
  for await (const item of items) {
    if (entries.length === limit) return { entries, hasMore: true };
    entries.push(item);
  }
  return { entries, hasMore: false };
}
