import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { AgentPlatform } from '../../src/index.ts';

/** The argument of this program, as JSON. */
export interface OpeningProcessPlan {
  readonly folder: string;
  readonly handle: string;
  readonly baseUrl: string;
  /** The process kills itself before it renames a file to this name; null for never. */
  readonly killBefore: string | null;
}

// open-processes.test.ts runs this program, which opens an agent and prints its id or the error code.
const { killBefore, ...options }: OpeningProcessPlan = JSON.parse(process.argv[2] ?? '');
const { rename } = fs.promises;
fs.promises.rename = async (from, to) => {
  if (killBefore !== null && String(to).endsWith(killBefore)) process.kill(process.pid, 'SIGKILL');
  await rename(from, to);
};
syncBuiltinESMExports();
const outcome = await AgentPlatform.open(options).then(
  async ({ bots }) => (await bots.me()).id,
  (error) => error.code,
);
process.stdout.write(outcome);
