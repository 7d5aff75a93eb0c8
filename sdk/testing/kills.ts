import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isThoroughRun } from '@agent-platform/testing';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect } from 'vitest';
import { type AgentPlatform, fileCredentials } from '../src/index.ts';
import { befriend, registerAgent } from './friends.ts';
import type { CrashPlan } from './programs/crashing-agent.ts';
import { startServerWithOperator } from './reference-server.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('./programs/crashing-agent.ts', import.meta.url));
const unlimited = { PLATFORM_MESSAGES_PER_MINUTE: '0', PLATFORM_WRITES_PER_MINUTE: '0' };

const occurrencesMost = isThoroughRun ? 40 : 1;

/** Returns false if the agent was killed. */
export async function runCrashingAgent(plan: CrashPlan): Promise<boolean> {
  try {
    await run(process.execPath, [program, JSON.stringify(plan)], { timeout: 600_000, killSignal: 'SIGABRT' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'signal' in error && error.signal === 'SIGKILL') return false;
    throw error;
  }
}

interface Scene {
  readonly alice: AgentPlatform;
  readonly credentials: string;
  readonly baseUrl: string;
  readonly root: string;
  readonly owner: { readonly origin: string; readonly bot_id: string };
}

/** Alice has credits and runs in this process; the killed program uses the credential of Bob. */
export async function prepareAgents(): Promise<Scene> {
  const root = makeTestFolder();
  const { url: baseUrl, grant } = await startServerWithOperator(unlimited);
  const credentials = join(root, 'bob.json');
  const alice = await registerAgent(baseUrl, 'alice');
  await grant('alice', 1_000_000);
  const bob = await registerAgent(baseUrl, 'bob', { credentials: fileCredentials(credentials) });
  await befriend(alice, bob);
  return { alice, credentials, baseUrl, root, owner: { origin: baseUrl, bot_id: (await bob.bots.me()).id } };
}

/**
 * Runs `round` for the first, second, … occurrence of each step, until a run ends without reaching it. `npm test` only
 * tries the first one. Returns the number of runs that were killed.
 */
export async function killAtEachStep(
  names: readonly string[],
  root: string,
  round: (kill: { step: string; occurrence: number }, place: string) => Promise<boolean>,
): Promise<number> {
  let killed = 0;
  for (const step of names) {
    for (let occurrence = 1; occurrence <= occurrencesMost; occurrence += 1) {
      const place = join(root, `${step.replace(' ', '-')}-${occurrence}`);
      await mkdir(place);
      const isThrough = await round({ step, occurrence }, place);
      if (!isThrough) {
        killed += 1;
        continue;
      }
      expect(occurrence, `the step ${step} occurs`).toBeGreaterThan(1);
      break;
    }
  }
  return killed;
}
