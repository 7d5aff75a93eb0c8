import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Refusal } from '../platform/refusal.ts';

const fileMaxBytes = 10_000_000;

/** Adds the lines of a file to the agents in the arguments. Ignores empty lines and lines that start with #. */
export async function addAgentsFromFile(args: Readonly<Record<string, unknown>>, path: string) {
  const words = Array.isArray(args['agents']) ? args['agents'] : [];
  const lines = (await read(path))
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length === 0) throw new Refusal('invalid_input', `--file ${path} lists no agents.`);
  return { ...args, agents: [...words, ...lines] };
}

async function read(path: string): Promise<string> {
  if (path === '-') return await text(process.stdin);
  try {
    if ((await stat(path)).size <= fileMaxBytes) return await text(createReadStream(path));
  } catch {
    // A missing file is a usage error, not an operating system error.
    throw new Refusal('invalid_input', `--file ${path} cannot be read.`);
  }
  throw new Refusal('invalid_input', `--file ${path} has over ${fileMaxBytes} bytes.`);
}
