import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CatalogueMutant, parseCatalogueTable, readCatalogue } from './catalogue-mutants.ts';
import { startReferenceServerForTests } from './expect-detected.ts';
import { judgeMutant } from './judge-mutant.ts';

const page = readFileSync(new URL('mutants/catalogue/README.md', import.meta.url), 'utf8');
const [, example = ''] = /```ts\n(.*?)```/s.exec(page) ?? [];
const server = startReferenceServerForTests();

/** Reads the example of the README from a separate folder, as if it were a file of the catalogue. */
async function readExample(): Promise<readonly CatalogueMutant[]> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-catalogue-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const parts = new URL('catalogue-mutants.ts', import.meta.url).href;
  writeFileSync(join(folder, 'example.ts'), example.replace('../../catalogue-mutants.ts', parts));
  return await readCatalogue(pathToFileURL(`${folder}/`));
}

describe('the page on adding a faulty server', () => {
  it('has an example whose mutants change something and are detected', async () => {
    const mutants = await readExample();
    const scopes = ['AP-WALLET-004', 'AP-EVENT-017', 'AP-ORDER-014', 'AP-REG-006'];
    expect(mutants).toHaveLength(scopes.length);
    for (const [at, mutant] of mutants.entries()) {
      const { failed, changes = 1 } = await judgeMutant(server(), mutant, { only: [scopes[at] ?? ''] });
      expect(failed.length, mutant.name).toBeGreaterThan(0);
      expect(changes, mutant.name).toBeGreaterThan(0);
    }
  });

  it('refuses a line that lacks a part', () => {
    expect(() => parseCatalogueTable('a name without a rule')).toThrow('This line is not "name | sentence | rule"');
  });

  it('lets a check judge one faulty server after another', async () => {
    const mutants = parseCatalogueTable(
      'permits <can_purchase can_withdraw> | Wallet | GET /wallet 200 -> set wallet.<> true',
    );
    expect(mutants).toHaveLength(2);
    for (const mutant of mutants) {
      const { failed } = await judgeMutant(server(), mutant, { only: ['AP-WALLET-004', 'AP-WALLET-005'] });
      expect(failed.length, mutant.name).toBeGreaterThan(0);
    }
  });

  it('reports that an unused fault changed nothing', async () => {
    const [idle] = parseCatalogueTable('is right | Wallet | GET /wallet 200 -> set wallet.can_purchase false');
    expect(idle).toMatchObject({ kills: [], violates: 'Wallet' });
    if (idle === undefined) return;
    const row = await judgeMutant(server(), idle, { only: ['AP-WALLET-001'] });
    expect(row).toMatchObject({ failed: [], changes: 0 });
  });
});
