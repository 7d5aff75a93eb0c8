import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it, vi } from 'vitest';
import { findOwnInspectors } from '../../testing/process-facts.ts';
import { makeLogger } from '../platform/logger.ts';
import { inspectorLimits } from './inspector-command.ts';
import { InspectorPool, openCompileCache, startAndStopInspector } from './inspectors.ts';
import { chooseIsolation, noIsolation } from './isolation.ts';
import { Launcher } from './launcher.ts';

const folder = makeTestFolder();

it('is shared if the environment names it, otherwise the server has its own, and there is none without isolation', () => {
  const [own, shared] = [join(folder, 'one', 'own'), join(folder, 'shared')];
  const isolated = { kind: 'landlock' } as const;

  expect(openCompileCache(noIsolation, own, undefined)).toBe(undefined);
  expect(openCompileCache(noIsolation, own, shared)).toBe(shared);
  expect(openCompileCache(isolated, own, shared)).toBe(shared);
  expect(existsSync(own)).toBe(false);
  expect(openCompileCache(isolated, own, undefined)).toBe(own);
  expect(statSync(own).mode & 0o777).toBe(0o700);
});

const isolation = chooseIsolation('auto');

it.skipIf(isolation.kind === 'none')('is filled without a file, read by inspectors, and optional', async () => {
  const compileCache = join(folder, 'filled');
  openCompileCache(isolation, compileCache, undefined);
  const log = makeLogger('info', { stream: new PassThrough().resume(), isTerminal: false });
  const inspectors = new InspectorPool(log, { limits: inspectorLimits, isolation, folder, compileCache }, () => [
    'ann',
  ]);
  const names = () => readdirSync(compileCache, { recursive: true, encoding: 'utf8' });
  await vi.waitFor(() => expect(names().some((name) => name.startsWith('inspector-'))).toBe(true), 120_000);
  const filled = names();
  inspectors.startExpected();
  // Other tests of this process may still have inspectors, with other folders.
  const usesFolder = (pid: string) =>
    readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`NODE_COMPILE_CACHE=${compileCache}\0`);
  await vi.waitFor(async () => expect((await findOwnInspectors()).filter(usesFolder)).toHaveLength(1), 120_000);

  expect(filled.length).toBeGreaterThan(20);
  await inspectors.close();
  expect(names()).toEqual(filled);

  rmSync(compileCache, { recursive: true });
  const launcher = new Launcher();
  await startAndStopInspector({ limits: inspectorLimits, isolation, compileCache, launcher });
  await launcher.close();
});
