import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import { readRealFile } from '../../../testing/files/real-files.ts';
import { uploadFile } from '../../../testing/scenarios/upload.ts';
import { expectRefusal, openTestServer } from '../../../testing/test-server.ts';
import { inspectorLimits } from '../../inspection/inspector-command.ts';

const folder = makeTestFolder();
const never = join(folder, 'never-ready');
writeFileSync(never, '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });

const { execPath } = process;
const { startMs } = inspectorLimits;

it.each([
  ['starts too late', 'upload_busy', '10', never, 500],
  ['cannot start', 'unavailable', '2', '/bin/false', startMs],
] as const)(
  'an upload whose inspector %s is %s, to be sent again after %s s',
  async (_what, code, seconds, program, withinMs) => {
    const server = await openTestServer({ PLATFORM_UPLOAD_ISOLATION: 'off' });
    const { token } = await server.register('alice');
    const file = readRealFile('upright.jpg');
    const uploadId = randomUUID();
    process.execPath = program;
    inspectorLimits.startMs = withinMs;
    const answer = await uploadFile(server.url, token, { file, uploadId }).finally(() => {
      process.execPath = execPath;
      inspectorLimits.startMs = startMs;
    });

    expectRefusal(answer, code);
    expect(answer.headers.get('retry-after')).toBe(seconds);
    expect((await uploadFile(server.url, token, { file, uploadId })).status).toBe(201);
  },
);
