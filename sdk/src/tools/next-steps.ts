import { arrayOf, freeText, type JsonSchema, object } from './schemas/json-schema.ts';
import type { ToolContext } from './tool.ts';

/** A tool that can be called next, and why. */
export interface NextStep {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly why: string;
}

/** The schema of the next steps. */
export const nextSteps: JsonSchema = arrayOf(
  object({
    tool: freeText('The tool to call.'),
    arguments: { type: 'object', description: 'Arguments for it; complete them where needed.' },
    why: freeText('What the tool does in this case.'),
  }),
);

/** The steps whose tools are offered. */
export function offered(steps: readonly NextStep[], { offers }: Pick<ToolContext, 'offers'>): readonly NextStep[] {
  return steps.filter(({ tool }) => offers(tool));
}
