import Type from 'typebox';
import { Check, describeChecks } from '../checks/check.ts';
import { checkDatabase } from '../checks/database-checks.ts';
import { operatorCommand } from '../command.ts';
import type { OperatorParts } from '../parts.ts';
import { Closed, nullable } from '../schemas.ts';

/** What the inside knows of itself: the database, and the server if there is one. */
export const Inspection = Closed({
  server: nullable(Closed({ url: Type.String(), local_url: Type.String(), started_at: Type.String() })),
  checks: Type.Array(Check),
});
export type Inspection = Type.Static<typeof Inspection>;

/** The inner half of `doctor`; the outer half looks at the machine from the operator's own process. */
export const inspect = operatorCommand({
  name: 'inspect',
  summary: 'tell how the database and the running server are',
  arguments: Closed({}),
  result: Inspection,
  run: async (parts: OperatorParts) => ({
    server: parts.server === null ? null : { ...parts.server },
    checks: [...(await checkDatabase(parts))],
  }),
  show: ({ checks }) => describeChecks(checks),
});
