import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bundleForWeb, gzippedBytes, webConditions } from './bundle-for-web.ts';

const sdk = fileURLToPath(new URL('../sdk/testing', import.meta.url));
const whole = "export { usePlatform } from '../programs/web-program.ts';";
const values = 'isPlatformError, formatCredits, unfenced, availableActions';

describe.each(webConditions)('a bundle for %s', (condition) => {
  it('of a program with profiles, messages, orders, wallet and files has at most 60 kB', async () => {
    const code = await bundleForWeb(whole, sdk, condition);

    expect(code).not.toMatch(/\bfrom\s*["'](?!\.)|import\(/);
    expect(gzippedBytes(code)).toBeLessThanOrEqual(60_000);
  });

  it('of the tools for language models needs no Node.js', async () => {
    const code = await bundleForWeb("export { agentTools } from '@agent-platform/sdk/tools';", sdk, condition);

    expect(code).not.toMatch(/\bfrom\s*["'](?!\.)|import\(/);
  });

  it('of the functions that need no client has at most 5 kB', async () => {
    const code = await bundleForWeb(`export { ${values} } from '@agent-platform/sdk';`, sdk, condition);

    expect(gzippedBytes(code)).toBeLessThanOrEqual(5_000);
  });
});
