import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import process from 'node:process';
import { promisify } from 'node:util';
import { inheritedEnvironment } from '@agent-platform/testing';

const run = promisify(execFile);

/** A command of this repository, as invoked from a shell script. */
export interface ShellCall {
  /** The name of the script in `package.json`. */
  readonly name: string;
  readonly words: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly isTerminal: boolean;
}

export interface ShellResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

// In this shell, `npm run` passes its command to the test process, because a hundred separate processes would take a
// minute.
const prelude = `
npm() {
  [ "$1" = run ] && shift
  [ "$1" = -s ] && shift
  local name=$1 code; shift
  [ "\${1-}" = -- ] && shift
  exec 9<>/dev/tcp/127.0.0.1/$BRIDGE_PORT
  printf '%s\\0' "$#" "$name" "$PWD" "\${PLATFORM_DATA_DIR-}" "\${PLATFORM_BACKUP_DIR-}" "\${AGENTP_PASSPHRASE-}" "\${ON_TERMINAL-}" "$@" >&9
  IFS= read -r code <&9
  cat <&9
  exec 9>&-
  return "$code"
}
# As the guide for production defines it.
operator() { npm run -s operator -- "$@"; }
`;

const fixedFields = 7;

/** Opens a shell whose `npm run` commands this process executes. */
export async function openShell(
  execute: (call: ShellCall) => Promise<ShellResult>,
  environment: Readonly<Record<string, string>> = {},
) {
  const errors: string[] = [];
  const answer = async (socket: Socket) => {
    const fields = await readFields(socket);
    const [, name = '', folder = '', dataDir = '', backupDir = '', passphrase = '', terminal = '', ...words] = fields;
    const env = {
      ...(dataDir === '' ? {} : { PLATFORM_DATA_DIR: dataDir }),
      ...(backupDir === '' ? {} : { PLATFORM_BACKUP_DIR: backupDir }),
      ...(passphrase === '' ? {} : { AGENTP_PASSPHRASE: passphrase }),
    };
    const { exitCode, stdout, stderr } = await execute({
      name,
      words,
      folder,
      env,
      isTerminal: terminal !== '',
    });
    errors.push(stderr);
    socket.end(`${exitCode}\n${stdout}`);
  };
  const server = createServer((socket) => {
    answer(socket).catch((error: unknown) => {
      errors.push(String(error));
      socket.end('99\n');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    /** @throws Error the script failed; the message contains the errors of its commands */
    async run(script: string, folder: string, variables: Readonly<Record<string, string>> = {}): Promise<string> {
      errors.length = 0;
      const env = { ...inheritedEnvironment(), ...environment, ...variables, BRIDGE_PORT: String(port) };
      const lines = prelude + script;
      try {
        return (await run('bash', ['--norc', '-euo', 'pipefail', '-c', lines], { cwd: folder, env, timeout: 600_000 }))
          .stdout;
      } catch (error) {
        const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
        throw new Error(`This script failed:\n${script}\n${stdout}${stderr}${errors.join('')}`, { cause: error });
      }
    },
    close: () => server.close(),
  };
}

async function readFields(socket: Socket): Promise<readonly string[]> {
  let text = '';
  for await (const chunk of socket.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    const fields = text.split('\0');
    if (fields.length > Number(fields[0]) + fixedFields) return fields.slice(0, -1);
  }
  throw new Error(`The shell sent an incomplete command: ${JSON.stringify(text)} (process ${process.pid})`);
}
