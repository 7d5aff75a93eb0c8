import * as api from '@agent-platform/contract';
import { type OperationTable, reply } from '../operation-table.ts';

/** Health and the documents of the contract. */
export function mountHealth(table: OperationTable): void {
  table.on(api.readLiveness, () => reply(200, { status: 'ok' }));
  table.on(api.readReadiness, () => reply(200, { status: 'ok' }));
  table.on(api.readOpenApi, () => reply(200, api.printOpenApi()));
  table.on(api.readAsyncApi, () => reply(200, api.printAsyncApi()));
}
