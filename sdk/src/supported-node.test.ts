import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { findRuntimeFault, minimumNodeVersion } from './supported-node.ts';

it.each([
  [{ node: '22.19.0' }, undefined],
  [{ node: '24.0.0' }, undefined],
  [{ node: '26.1.0-nightly' }, undefined],
  [{ node: '20.6.0', bun: '1.3.0' }, undefined],
  [{ node: '20.6.0', deno: '2.5.0' }, undefined],
  [{ node: '22.18.0' }, '@agent-platform/sdk needs Node.js 22.19 or later, and this is Node.js 22.18.0.'],
  [{ node: '18.20.8' }, '@agent-platform/sdk needs Node.js 22.19 or later, and this is Node.js 18.20.8.'],
])('a runtime with the versions %j: %s', (versions, fault) => {
  expect(findRuntimeFault(versions)).toBe(fault);
});

it('the minimum version is the one in package.json', () => {
  expect(manifest.engines.node).toBe(`>=${minimumNodeVersion}`);
});

it('an old runtime is reported when the package is imported, before any other module is evaluated', async () => {
  const url = JSON.stringify(new URL('./index.ts', import.meta.url).href);
  const program = `
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.11.1' } });
    await import(${url}).catch((error) => console.log(error.message));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);

  expect(stdout).toBe('@agent-platform/sdk needs Node.js 22.19 or later, and this is Node.js 20.11.1.\n');
});
