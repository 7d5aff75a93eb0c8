import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import { makeLogger } from '../platform/logger.ts';
import { inspectorLimits } from './inspector-command.ts';
import { InspectorPool } from './inspectors.ts';
import { noIsolation } from './isolation.ts';
import { mediaTypes } from './verdict.ts';

const quiet = makeLogger('info', { stream: new PassThrough().resume(), isTerminal: false });
const limits = { ...inspectorLimits, startMs: 60_000, verdictMs: 100_000 };

function makeFolder() {
  const folder = makeTestFolder();
  const file = join(folder, 'file');
  writeFileSync(file, 'a file');
  const bounds = { imageMaxPixels: 1, pdfMaxPages: 1, previewMaxPixelsPerSide: 1, previewMaxBytes: 1_000 };
  return { folder, request: { file, fileBytes: 6, accepts: mediaTypes, ...bounds } };
}

/** Replaces Node.js with another program, to simulate an inspector that a file has compromised. */
async function inspectWith(script: string) {
  const { folder, request } = makeFolder();
  const program = join(folder, 'program');
  writeFileSync(program, `#!/bin/sh\necho ready\nread -r request\n${script}\n`);
  chmodSync(program, 0o700);
  const { execPath } = process;
  process.execPath = program;
  const inspectors = new InspectorPool(
    quiet,
    { limits, isolation: noIsolation, folder, compileCache: undefined },
    () => [],
  );
  try {
    return await inspectors.inspect(request, 'ann');
  } finally {
    process.execPath = execPath;
    await inspectors.close();
  }
}

it.each([
  ['prints a line without end', "tr '\\0' a < /dev/zero"],
  ['prints errors without end', 'yes >&2'],
  ['prints another line than a verdict', 'echo "{}"; sleep 60'],
  ['accepts without a preview', `echo '{"verdict":{"kind":"accepted","mediaType":"image/png"}}'; sleep 60`],
  ['ends while another process holds its output', 'setsid sleep 60 & kill -9 $$'],
])(
  'a compromised inspector that %s is ended, and its file refused',
  async (_, script) => {
    expect(await inspectWith(script)).toEqual({ kind: 'refused', fault: 'too_costly' });
  },
  60_000,
);
