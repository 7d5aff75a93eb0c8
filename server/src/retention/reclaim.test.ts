import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, type Instance, makeInstallation, register } from '../../testing/installation.ts';
import { randomIdeographs } from '../../testing/scenarios/made-texts.ts';
import { sendRequest } from '../../testing/test-server.ts';
import { reclaimSpace } from './reclaim-commands.ts';

const MiB = 1024 * 1024;
const changes = 57;

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

describe('the embedded database', () => {
  let installation: Installation;
  let server: Instance;
  let token: string;
  beforeAll(async () => {
    installation = makeInstallation({ PLATFORM_WRITES_PER_MINUTE: '0', PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '0' });
    server = await installation.start();
    ({ token } = await register(server.url, 'author', { profile_public: true }));
  });
  afterAll(() => installation.stop());

  const write = async (method: string, path: string): Promise<string> => {
    const body = { text: randomIdeographs(8_000), visibility: 'public' };
    const answer = await sendRequest(server.url, method, path, { token, body });
    expect(answer.status).toBeLessThan(300);
    return answer.body['post']?.['id'] ?? '';
  };
  const size = () => bytesIn(join(installation.dataDir, 'database'));

  it('is hardly larger after 57 changes of a post, on the disk', async () => {
    const id = await write('POST', '/api/v1/posts');
    const emptyBytes = size();
    for (let count = 0; count < changes; count += 1) await write('PATCH', `/api/v1/posts/${id}`);
    const usedBytes = size();
    expect(await reclaimSpace(server.store, 8 * MiB)).toMatchObject({ checkpoint: true });

    expect(usedBytes - emptyBytes).toBeGreaterThan(16 * MiB);
    expect(size() - emptyBytes).toBeLessThan(16 * MiB);
  });

  it('is not reclaimed if there is little to gain', async () => {
    // The database counts the dead rows of recent changes with a delay.
    await expect.poll(() => reclaimSpace(server.store)).toEqual({ vacuumed: [], checkpoint: false });
  });
});
