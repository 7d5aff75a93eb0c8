import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The configuration of an image, in Docker's format. */
interface ImageSettings {
  readonly User: string;
  readonly Env: readonly string[];
  readonly WorkingDir: string;
  readonly Entrypoint: readonly string[];
  readonly StopSignal: string;
  readonly Volumes: Readonly<Record<string, object>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

/** `files` is the folder that contains the unpacked files of the image. */
export interface ContainerImage {
  readonly settings: ImageSettings;
  readonly files: string;
  readonly mebibytes: number;
}

interface BuiltImages {
  readonly server: ContainerImage;
  /** Runs the image of the conformance suite on this machine's network. Returns the exit code. */
  runSuite(reports: string, args: readonly string[]): Promise<number>;
}

const base = 'localhost/base';
const image = 'localhost/agent-platform-server';
const suiteImage = 'localhost/agent-platform-conformance';

// A minimal Debian with npm and the Node.js of this process, so that no container registry is needed. The certificates
// are those of this machine, because its npm registry may be a mirror.
const baseFile = `FROM scratch
ADD debian.tar /
COPY ca-certificates.crt /etc/ssl/certs/
COPY node /usr/local/bin/
COPY npm /usr/local/lib/node_modules/npm/
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
`;

/** Builds the images of `deploy/` on a base image of Debian packages. */
export async function buildImages(folder: string, say: (line: string) => void): Promise<BuiltImages> {
  const place = ['--root', join(folder, 'images'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
  const buildah = async (...args: readonly string[]) => (await run('buildah', [...place, ...args])).stdout.trim();
  const build = ['build', '--isolation', 'chroot', '--format', 'docker'];

  const context = join(folder, 'base');
  mkdirSync(context);
  await run('mmdebstrap', ['--variant=minbase', '--include=ca-certificates', 'trixie', join(context, 'debian.tar')]);
  copyFileSync('/etc/ssl/certs/ca-certificates.crt', join(context, 'ca-certificates.crt'));
  copyFileSync(process.execPath, join(context, 'node'));
  cpSync(await findNpmFolder(), join(context, 'npm'), { recursive: true });
  writeFileSync(join(context, 'Containerfile'), baseFile);
  await buildah(...build, '--tag', base, context);
  say(`built the base image: Debian 13 and Node.js ${process.version}`);

  await run(process.execPath, [join(root, 'scripts/run.mjs'), 'pack']);
  for (const [tag, file] of [
    [image, 'deploy/Containerfile'],
    [suiteImage, 'deploy/conformance.Containerfile'],
  ] as const) {
    const from = ['--build-arg', `BASE=${base}`, '--file', join(root, file), join(root, 'packages')];
    await buildah(...build, '--tag', tag, ...from);
  }

  const settingsOf = async (name: string): Promise<ImageSettings> =>
    JSON.parse(await buildah('inspect', '--type', 'image', name)).Docker.config;
  const files = await buildah('mount', await buildah('from', image));
  const used = (await run('du', ['-sm', files])).stdout;
  const runSuite = async (reports: string, args: readonly string[]) => {
    const { Entrypoint, User } = await settingsOf(suiteImage);
    await run('chown', [User, reports]);
    const volume = ['--isolation', 'chroot', '--volume', `${reports}:/work`];
    const command = ['run', ...volume, await buildah('from', suiteImage), '--', ...Entrypoint, ...args];
    return await run('buildah', [...place, ...command]).then(
      () => 0,
      ({ code }: { readonly code?: unknown }) => Number(code),
    );
  };
  return { server: { settings: await settingsOf(image), files, mebibytes: Number.parseInt(used, 10) }, runSuite };
}

/** Prefers the npm that started this program to the npm on the PATH. */
async function findNpmFolder(): Promise<string> {
  const started = process.env['npm_execpath'] ?? (await run('which', ['npm'])).stdout.trim();
  const folder = dirname(dirname(realpathSync(started)));
  const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (name !== 'npm') throw new Error(`${started} is not npm.`);
  return folder;
}
