// `npm run lab -- container`, as root with the Debian packages buildah, crun and mmdebstrap: builds the image of
// deploy/Containerfile without a container registry and starts it like deploy/compose.yaml. Then uploads a picture,
// runs the health check, `operator doctor` and the image of deploy/conformance.Containerfile, and stops the container.
// Exits with 1 if any of this fails.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findFreePort } from '@agent-platform/testing';
import { readRealFile } from '../files/real-files.ts';
import { register } from '../installation.ts';
import { uploadFile } from '../scenarios/upload.ts';
import { buildImages } from './build-image.ts';
import { type RunningContainer, startContainer } from './run-container.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);
const folder = mkdtempSync(join(tmpdir(), 'container-'));
let container: RunningContainer | undefined;
try {
  const { server: image, runSuite } = await buildImages(folder, say);
  const { User, Entrypoint, Healthcheck } = image.settings;
  say(`built the image: ${image.mebibytes} MiB, user ${User}, ${Entrypoint.join(' ')}`);

  const port = await findFreePort();
  container = await startContainer(folder, image, { HOST: '127.0.0.1', PORT: String(port) });
  const [, ...healthCheck] = Healthcheck.Test;
  await untilHealthy(container, healthCheck);
  say('healthy, by its own health check');

  const url = `http://127.0.0.1:${port}`;
  const { token } = await register(url, 'alice');
  const { status, body } = await uploadFile(url, token, { file: readRealFile('upright.jpg') });
  check('an upload', status === 201, `${status} ${JSON.stringify(body).slice(0, 100)}`);

  const doctor = await container.execute(...Entrypoint, 'operator', 'doctor');
  const line = (what: string) => doctor.split('\n').find((text) => text.includes(what)) ?? doctor;
  check('file checks', /landlock/i.test(line('file checks')), line('file checks'));
  check('doctor', doctor.includes('0 errors'), line(' errors'));
  const refusedWrites =
    'for path in / /opt/agent-platform /usr /etc /dev; do touch "$path/x" 2> /dev/null && echo "$path"; done; ls -A /tmp';
  const left = await container.execute('sh', '-c', refusedWrites);
  check('writes outside /data and /tmp, and files in /tmp', left === '', left || 'none');

  const reports = join(folder, 'reports');
  mkdirSync(reports);
  const suite = await runSuite(reports, `--base-url ${url} --only AP-ME,AP-POST --report json=report.json`.split(' '));
  const { requirements } = JSON.parse(readFileSync(join(reports, 'report.json'), 'utf8'));
  const judged: readonly { readonly verdict: string }[] = requirements;
  const passed = judged.filter(({ verdict }) => verdict === 'passed').length;
  check('the suite in its image', suite === 0 && passed > 0, `exit code ${suite}, ${passed} requirements passed`);

  const code = await container.stop();
  check('the end after SIGTERM', code === 0, `exit code ${code}`);
  say(`the data folder: ${readdirSync(container.volume('/data') ?? '').join(', ')}`);
} finally {
  if (process.exitCode === 1) say(container?.log() ?? '');
  await container?.stop('KILL').catch(() => undefined);
  rmSync(folder, { recursive: true, force: true });
}

function check(what: string, holds: boolean, seen: string): void {
  say(`${holds ? '✓' : '✗'} ${what}: ${seen.trim()}`);
  if (!holds) process.exitCode = 1;
}

async function untilHealthy({ execute, exited, log }: RunningContainer, healthCheck: readonly string[]): Promise<void> {
  const ended = exited.then(() => {
    throw new Error(`The container ended: ${log()}`);
  });
  const isHealthy = () =>
    execute(...healthCheck).then(
      () => true,
      () => false,
    );
  for (let attempt = 0; attempt < 60; attempt += 1) {
    if (await Promise.race([isHealthy(), ended])) return;
    await wait(1_000);
  }
  throw new Error(`The container is not healthy: ${log()}`);
}
