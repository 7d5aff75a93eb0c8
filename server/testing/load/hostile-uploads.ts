import { fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startServerProcess } from '@agent-platform/testing';
import { endlessPdf } from '../files/endless-pdf.ts';
import { realFile } from '../files/real-files.ts';
import { beginUpload, fileFirst } from '../scenarios/begin-upload.ts';

// Attacks a server of its own and measures what another agent notices, by hand:
//
//   node server/testing/load/hostile-uploads.ts places   64 connections that begin uploads, and files that take 10 s of processor time
//   node server/testing/load/hostile-uploads.ts chunks   50 connections that send chunks of one byte
//
// With DATABASE_URL on that database (an empty one), else on the embedded one.
const program = fileURLToPath(new URL('../../src/agent-platform-server.ts', import.meta.url));
const [attack = 'places', role, url = '', token = ''] = process.argv.slice(2);
const attacks = { places: attackPlaces, chunks: attackChunks };
if (role === 'attacker') attacks[attack as keyof typeof attacks]();
else await measure();

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hostile-uploads-'));
  const { DATABASE_URL } = process.env;
  const settings = {
    PLATFORM_DATA_DIR: folder,
    PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '0',
    PLATFORM_REGISTRATIONS_PER_HOUR: '0',
    PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '0',
    ...(DATABASE_URL === undefined ? {} : { DATABASE_URL }),
  };
  const server = await startServerProcess(settings, [program]);
  const [hostile, good] = [await registerAgent(server.url), await registerAgent(server.url)];
  await uploadFile(server.url, good, realFile('upright.jpg'));
  const { pid = 0 } = server.child;
  const before = residentMebibytes(pid);
  const attacker = fork(new URL(import.meta.url), [attack, 'attacker', server.url, hostile]);
  await wait(3_000);
  if (attack === 'chunks') await watchProcess(server.url, pid, before);
  else for (let picture = 1; picture <= 10; picture += 1) await uploadPicture(server.url, good, picture);
  attacker.kill('SIGKILL');
  await server.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

async function registerAgent(server: string): Promise<string> {
  const key = randomBytes(32);
  // Any number below the prime of the curve is a key.
  key[31] = 0x11;
  const name = `agent_${randomBytes(6).toString('hex')}`;
  const registration = { handle: name, display_name: name, encryption_public_key: key.toString('base64') };
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(registration);
  const answer = await fetch(`${server}/api/v1/bots/register`, { method: 'POST', headers, body });
  const { token: granted } = (await answer.json()) as { token: string };
  return granted;
}

async function uploadFile(server: string, agent: string, file: Uint8Array): Promise<number> {
  const body = new FormData();
  body.append('purpose', 'order');
  body.append('upload_id', randomUUID());
  body.append('file', new File([new Uint8Array(file)], 'file'));
  const headers = { authorization: `Bearer ${agent}` };
  const answer = await fetch(`${server}/api/v1/attachments`, { method: 'POST', headers, body });
  await answer.text();
  return answer.status;
}

async function uploadPicture(server: string, agent: string, picture: number): Promise<void> {
  const startedMs = performance.now();
  const status = await uploadFile(server, agent, realFile('upright.jpg'));
  print(`picture ${picture}: ${status} after ${Math.round(performance.now() - startedMs)} ms`);
  await wait(1_000);
}

async function watchProcess(server: string, pid: number, before: number): Promise<void> {
  const tookMs: number[] = [];
  let most = 0;
  for (let probe = 0; probe < 100; probe += 1) {
    const startedMs = performance.now();
    await (await fetch(`${server}/health/live`)).text();
    tookMs.push(performance.now() - startedMs);
    most = Math.max(most, residentMebibytes(pid));
    await wait(100);
  }
  tookMs.sort((one, other) => one - other);
  const [median = 0, worst = 0] = [tookMs[50], tookMs[99]];
  print(`live: median ${median.toFixed(1)} ms, most ${worst.toFixed(1)} ms`);
  print(`resident set: ${before} MiB before, at most ${most} MiB`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function residentMebibytes(pid: number): number {
  return Math.round((Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4_096) / 2 ** 20);
}

function attackPlaces(): void {
  for (let connection = 0; connection < 64; connection += 1) void beginAgain();
  for (let sender = 0; sender < 4; sender += 1) void sendSlowFiles();
}

async function beginAgain(): Promise<never> {
  for (;;) {
    await beginUpload(url, token, fileFirst).answered;
    await wait(200);
  }
}

async function sendSlowFiles(): Promise<never> {
  const file = endlessPdf();
  for (;;) {
    await uploadFile(url, token, file).catch(() => undefined);
    await wait(200);
  }
}

function attackChunks(): void {
  const chunks = '1\r\nx\r\n'.repeat(10_000);
  for (let connection = 0; connection < 50; connection += 1) sendChunks(chunks);
}

function sendChunks(chunks: string): void {
  const { hostname, port } = new URL(url);
  const head = [
    'POST /api/v1/attachments HTTP/1.1',
    'host: x',
    `authorization: Bearer ${token}`,
    'content-type: multipart/form-data; boundary=line',
    'transfer-encoding: chunked',
  ];
  const form = `${fileFirst.length.toString(16)}\r\n${fileFirst}\r\n`;
  const socket = connect(Number(port), hostname);
  const send = () => {
    while (!socket.destroyed && socket.write(chunks));
  };
  socket
    .on('drain', send)
    .on('error', () => undefined)
    .on('close', () => setTimeout(sendChunks, 100, chunks))
    .resume();
  socket.write(`${head.join('\r\n')}\r\n\r\n${form}`);
  send();
}
