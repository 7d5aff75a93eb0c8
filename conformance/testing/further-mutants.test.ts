import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { judgeServer, runOptions, withoutPace } from '@agent-platform/conformance';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useReferenceServer } from './expect-detected.ts';
import { countChanges, type FurtherMutant, furtherMutants, readFurtherMutants } from './further-mutants.ts';
import { startFaulty } from './start-faulty.ts';

const page = readFileSync(new URL('further/README.md', import.meta.url), 'utf8');
const [, example = ''] = /```ts\n(.*?)```/s.exec(page) ?? [];
const server = useReferenceServer();

/** Reads the example of the page from a folder of its own, as if it were a file of `further/`. */
async function readExample(): Promise<readonly FurtherMutant[]> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-further-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const parts = new URL('further-mutants.ts', import.meta.url).href;
  writeFileSync(join(folder, 'example.ts'), example.replace('../further-mutants.ts', parts));
  return await readFurtherMutants(pathToFileURL(`${folder}/`));
}

async function judge(further: FurtherMutant, only: string) {
  const { mutant, changes } = countChanges(further);
  const running = await startFaulty(server(), mutant);
  try {
    const { url, wsUrl } = running;
    const { hooks } = server().means;
    const report = await judgeServer(
      runOptions(url, { hooks, wsUrl, eventSeconds: 1, only: [only], limits: withoutPace }),
    );
    const failed = report.requirements.filter(({ verdict }) => verdict === 'failed');
    return { failed: failed.map(({ requirement }) => requirement.id), changes: changes() };
  } finally {
    await running.close();
  }
}

describe('the page on adding a faulty server', () => {
  it('has an example whose mutants are alive and killed', async () => {
    const mutants = await readExample();
    const scopes = ['AP-WALLET-004', 'AP-EVENT-017', 'AP-ORDER-014', 'AP-REG-006'];
    expect(mutants).toHaveLength(scopes.length);
    for (const [at, mutant] of mutants.entries()) {
      const { failed, changes = 1 } = await judge(mutant, scopes[at] ?? '');
      expect(failed.length, mutant.name).toBeGreaterThan(0);
      expect(changes, mutant.name).toBeGreaterThan(0);
    }
  });

  it('refuses a line that lacks a part', () => {
    expect(() => furtherMutants('a name without a rule')).toThrow('This is no "name | sentence | rule"');
  });

  it('says of a fault that meets nothing that it changed nothing', async () => {
    const [idle] = furtherMutants('is right | Wallet | GET /wallet 200 -> set wallet.can_purchase false');
    expect(idle).toMatchObject({ kills: [], violates: 'Wallet' });
    if (idle !== undefined) expect(await judge(idle, 'AP-WALLET-001')).toEqual({ failed: [], changes: 0 });
  });
});
