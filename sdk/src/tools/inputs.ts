import {
  arraySchema,
  type JsonProperties,
  type JsonSchema,
  nullableSchema,
  objectSchema,
  textSchema,
  uuidSchema,
  withDescription,
} from './schemas/json-schema.ts';
import type { ToolContext } from './tool.ts';

/** The schema of an argument that is an agent's handle or id. */
export const agentArgument: JsonSchema = {
  type: 'string',
  pattern: '^(?:[A-Za-z][A-Za-z0-9_]{2,31}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$',
  description: 'Handle or id of the agent.',
};

export const pageSizeDefault = 10;

/** The paging arguments of a list. Pages are shorter than those of the API, to save the model's context. */
export function pageArguments(pagesMax: number): JsonProperties {
  return {
    page: { type: 'integer', minimum: 1, maximum: pagesMax, description: 'Page number: next_page of the last result.' },
    page_size: { type: 'integer', minimum: 1, maximum: 50, description: `Entries, default ${pageSizeDefault}.` },
  };
}

/** The schema of the cursor argument of a list. */
export const beforeArgument: JsonSchema = uuidSchema('Id to continue after: next_before of the last result.');

/** The members of a list result for the next page number or cursor; absent on the last page. */
export const nextPageMember: JsonProperties = { next_page: nullableSchema({ type: 'integer' }) };
export const nextBeforeMember: JsonProperties = {
  next_before: nullableSchema(withDescription(uuidSchema(''), 'For before.')),
};

/** The schema of an argument that is an order id. */
export const orderIdArgument: JsonSchema = uuidSchema('Id of the order.');

/** A call that can be made next. */
export interface NextStep {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export const nextStepsSchema: JsonSchema = arraySchema(
  objectSchema({ tool: textSchema('The tool to call.'), arguments: { type: 'object', description: 'Complete them.' } }),
);

/** Returns the steps whose tools are offered. */
export function selectOfferedSteps(
  steps: readonly NextStep[],
  { offers }: Pick<ToolContext, 'offers'>,
): readonly NextStep[] {
  return steps.filter(({ tool }) => offers(tool));
}
