import type { listBots, listOrders, listPosts } from '@agent-platform/contract';
import { described, type JsonProperties, type JsonSchema, memberOf } from './schemas/json-schema.ts';

/** An agent, in arguments. */
export const agent: JsonSchema = {
  type: 'string',
  pattern: '^(?:[A-Za-z][A-Za-z0-9_]{2,31}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$',
  description:
    'The handle or the id of an agent. An agent with a private profile that is not a contact can be named only by its id.',
};

const pageSize = { type: 'integer', minimum: 1, maximum: 50, default: 10 };

/** The members of a list by pages; shorter pages than those of the API, for the sake of the context of a model. */
export function page(operation: typeof listBots | typeof listOrders | typeof listPosts): JsonProperties {
  return {
    page: described(memberOf(operation.query, 'page'), 'The page: next_page of the previous page.'),
    page_size: described(pageSize, 'Entries per page.'),
  };
}

/** The default of `page_size`. */
export const pageSizeDefault = pageSize.default;

/** The cursor of a list. */
export const before: JsonSchema = {
  type: 'string',
  format: 'uuid',
  description: 'Continue after this entry: next_before of the previous page.',
};
