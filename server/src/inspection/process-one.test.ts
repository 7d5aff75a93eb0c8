import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import { makeSlowPdf } from '../../testing/files/endless-pdf.ts';
import { readRealFile } from '../../testing/files/real-files.ts';

const asProcessOne = ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child'];
const isPermitted = spawnSync('unshare', [...asProcessOne, 'true']).status === 0;

it.skipIf(!isPermitted)('file checks leave no zombie to a server that is process 1', () => {
  const folder = makeTestFolder();
  for (const name of ['ann', 'bob']) writeFileSync(join(folder, name), readRealFile('upright.jpg'));
  writeFileSync(join(folder, 'cid'), makeSlowPdf());
  const modules = ['inspectors', 'inspector-command', 'isolation', 'verdict'].map((name) =>
    JSON.stringify(new URL(`${name}.ts`, import.meta.url).href),
  );
  const program = `
    const { statSync } = await import('node:fs');
    const [{ InspectorPool }, { inspectorLimits }, { chooseIsolation }, { mediaTypes }] =
      await Promise.all([${modules.join()}].map((module) => import(module)));
    const limits = { ...inspectorLimits, processorMs: 200 };
    const log = { warn: () => undefined };
    const isolation = chooseIsolation('auto');
    const folder = ${JSON.stringify(folder)};
    const inspectors = new InspectorPool(log, { limits, isolation, folder, compileCache: undefined }, () => []);
    const bounds = { imageMaxPixels: 2e7, pdfMaxPages: 200, previewMaxPixelsPerSide: 1280, previewMaxBytes: 1e6 };
    const kinds = [];
    for (const name of ['ann', 'bob', 'cid']) {
      const request = { file: folder + '/' + name, fileBytes: statSync(folder + '/' + name).size, accepts: mediaTypes, ...bounds };
      kinds.push((await inspectors.inspect(request, name)).kind);
    }
    await inspectors.close();
    const { countZombies } = await import(${JSON.stringify(new URL('../operator/checks/machine-checks.ts', import.meta.url).href)});
    console.log(JSON.stringify({ pid: process.pid, kinds, zombies: countZombies(1) }));`;
  const words = [...asProcessOne, process.execPath, '--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync('unshare', words, { encoding: 'utf8', timeout: 120_000 });

  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({ pid: 1, kinds: ['accepted', 'accepted', 'refused'], zombies: 0 });
});
