import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { setPriority } from 'node:os';
import type { LauncherMessage, LauncherRequest } from './inspection/launcher.ts';
import { endGroup } from './inspection/processes.ts';

// The process that starts inspectors for the server, as `inspection/launcher.ts` explains. It handles no file and no data.
/** Groups of processes, each named by its first process. */
const groups = new Map<number, number>();

// A supervisor may signal every process of a service, and the server finishes what it has accepted.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
// The input ends with the server. "disconnect" is not emitted while a stream is handed over.
process.stdin.resume().once('close', () => {
  for (const group of groups.values()) endGroup(group);
  process.exit();
});
// Written by our own server: the border of the two processes.
process.on('message', (request: LauncherRequest) => {
  if (request.kind === 'launch') return launch(request);
  const group = groups.get(request.id);
  if (group !== undefined) end(group);
});

function launch({ id, script, words, env, priority }: LauncherRequest & { readonly kind: 'launch' }): void {
  // It waits for a line, so that it prints nothing before the server has its streams.
  const command = ['-c', `read -r _ || exit\n${script}`, 'inspector', ...words];
  // A separate process group: Ctrl-C does not reach it, and its children end with it.
  const child = spawn('/bin/sh', command, { env, cwd: '/', stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  child.once('error', ({ message }) => tell({ kind: 'ended', id, how: message }));
  const { pid } = child;
  if (pid === undefined) return;
  groups.set(id, pid);
  yieldToOthers(pid, priority);
  for (const stream of child.stdio) if (stream instanceof Socket) tell({ kind: 'stream', id }, stream);
  // Sent when the server has taken the last stream: until then this process might read from it.
  tell({ kind: 'launched', id, pid });
  child.once('exit', (code, signal) => {
    groups.delete(id);
    endGroup(pid);
    tell({ kind: 'ended', id, how: String(signal ?? code) });
  });
}

// The first process of a namespace ends all others in it. Its parent, which waits for it, ends next: killed together with it,
// it would leave a zombie to process 1, and in a container that may be the server, which does not wait for it.
function end(group: number): void {
  try {
    const child = Number.parseInt(readFileSync(`/proc/${group}/task/${group}/children`, 'utf8'), 10);
    const isFirst = /^NSpid:.*\t1$/m.test(readFileSync(`/proc/${child}/status`, 'utf8'));
    if (isFirst) process.kill(child, 'SIGKILL');
    else endGroup(group);
  } catch {
    // It has started nothing.
    endGroup(group);
  }
}

function tell(news: LauncherMessage, stream?: Socket): void {
  // The server has exited.
  process.send?.(news, stream, {}, () => undefined);
}

function yieldToOthers(pid: number, priority: number): void {
  try {
    setPriority(pid, priority);
  } catch {
    // It has ended, or the system refuses; the priority stays as it is.
  }
  yieldGroup(pid, priority);
}

// Linux may share processors among sessions, and a separate group is one: the priority of a process then counts among those
// of its session alone. The system sets that of a session at most ten times a second, unless root asks.
function yieldGroup(pid: number, priority: number, tries = 10): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(priority));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN' && tries > 1) setTimeout(yieldGroup, 100, pid, priority, tries - 1);
  }
}
