import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@agent-platform/testing';
import { startDaemon } from '../processes/daemon.ts';
import type { StartedS3 } from './started-s3.ts';

const library = createRequire(import.meta.url).resolve('@20minutes/s3rver');

const keys = { accessKeyId: 'STANDINKEY0123456789', secretAccessKey: 'secret-of-the-stand-in-0123456789' };

/** Unlike S3, s3rver does not compare checksums. */
export async function startS3rver(bucket: string): Promise<StartedS3> {
  const folder = mkdtempSync(join(tmpdir(), 's3-stand-in-'));
  const port = await findFreePort();
  const options = {
    directory: folder,
    address: '127.0.0.1',
    port,
    silent: true,
    configureBuckets: [{ name: bucket, configs: [] }],
  };
  // The package lacks its command-line program, and verifies signatures without a slash that the SDK includes.
  const script = `
    const v4 = require(${JSON.stringify(join(library, '..', 'signature', 'v4.js'))});
    const { getStringToSign } = v4;
    v4.getStringToSign = (call, request) =>
      getStringToSign({ ...call, uri: /^.[^/]+$/.test(call.uri) ? call.uri + '/' : call.uri }, request);
    require(${JSON.stringify(join(library, '..', 'models', 'account.js'))})
      .DUMMY_ACCOUNT.createKeyPair(${JSON.stringify(keys.accessKeyId)}, ${JSON.stringify(keys.secretAccessKey)});
    new (require(${JSON.stringify(library)}))(${JSON.stringify(options)}).run();`;
  const main = startDaemon(process.execPath, ['--eval', script], port);
  await main.ready();
  const remove = async () => {
    await main.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { port, ...keys, main, remove };
}
