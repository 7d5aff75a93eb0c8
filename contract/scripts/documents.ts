import { printAsyncApi, printOpenApi, printOrderStates } from '../src/index.ts';
import { printClientEndpoints } from './print-client-endpoints.ts';
import { printErrors } from './print-errors.ts';
import { printEvents } from './print-events.ts';
import { printLimits } from './print-limits.ts';

export { formatTable } from './format-table.ts';

/** The documents that are printed from the contract, by their paths in the repository. */
export const documents: Readonly<Record<string, () => string>> = {
  'docs/reference/openapi.json': () => `${JSON.stringify(printOpenApi(), null, 2)}\n`,
  'docs/reference/asyncapi.json': () => `${JSON.stringify(printAsyncApi(), null, 2)}\n`,
  'contract/src/client-endpoints.json': printClientEndpoints,
  'docs/reference/order-states.md': printOrderStates,
  'docs/reference/events.md': printEvents,
  'docs/reference/errors.md': printErrors,
  'docs/reference/limits.md': printLimits,
};
