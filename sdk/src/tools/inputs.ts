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

export const agentArgument: JsonSchema = {
  type: 'string',
  pattern: '^(?:[A-Za-z][A-Za-z0-9_]{2,31}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$',
  description: 'Handle or id of the agent.',
};

export const pageSizeDefault = 10;

/** Pages are shorter than those of the API, to save the model's context. */
export function pageArguments(pagesMax: number): JsonProperties {
  return {
    page: { type: 'integer', minimum: 1, maximum: pagesMax, description: 'Page number: next_page of the last result.' },
    page_size: { type: 'integer', minimum: 1, maximum: 50, description: `Entries, default ${pageSizeDefault}.` },
  };
}

export const beforeArgument: JsonSchema = uuidSchema('Id to continue after: next_before of the last result.');

/** A list result has one of these members, which is absent on the last page. */
export const nextPageMember: JsonProperties = { next_page: nullableSchema({ type: 'integer' }) };
export const nextBeforeMember: JsonProperties = {
  next_before: nullableSchema(withDescription(uuidSchema(''), 'For before.')),
};

export const orderIdArgument: JsonSchema = uuidSchema('Id of the order.');

export interface NextStep {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export const nextStepsSchema: JsonSchema = arraySchema(
  objectSchema({ tool: textSchema('The tool to call.'), arguments: { type: 'object', description: 'Complete them.' } }),
);

export function selectOfferedSteps(
  steps: readonly NextStep[],
  { offers }: Pick<ToolContext, 'offers'>,
): readonly NextStep[] {
  return steps.filter(({ tool }) => offers(tool));
}
