import { arrayOf, freeText, type JsonSchema, object } from './schemas/json-schema.ts';
import type { ToolContext } from './tool.ts';

/** A call that can be made next. */
export interface NextStep {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The schema of the next steps. */
export const nextSteps: JsonSchema = arrayOf(
  object({ tool: freeText('The tool to call.'), arguments: { type: 'object', description: 'Complete them.' } }),
);

/** The steps whose tools are offered. */
export function offered(steps: readonly NextStep[], { offers }: Pick<ToolContext, 'offers'>): readonly NextStep[] {
  return steps.filter(({ tool }) => offers(tool));
}
