import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { setPriority } from 'node:os';
import type { LauncherMessage, LauncherRequest } from './inspection/launcher.ts';
import { killProcessGroup } from './inspection/processes.ts';

// The process that starts inspectors for the server; `inspection/launcher.ts` explains why. It reads neither files nor
// their data.
/** Maps the id of each launch request to its process group. */
const groups = new Map<number, number>();

// A supervisor may send signals to every process of a service, but the server must still finish accepted requests.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
// The input closes when the server ends. "disconnect" would not be emitted while a stream is being sent.
process.stdin.resume().once('close', () => {
  for (const group of groups.values()) killProcessGroup(group);
  process.exit();
});
// Our own server sent this message, so it is not validated.
process.on('message', (request: LauncherRequest) => {
  if (request.kind === 'launch') return launch(request);
  const group = groups.get(request.id);
  if (group !== undefined) end(group);
});

function launch({ id, script, words, env, priority }: LauncherRequest & { readonly kind: 'launch' }): void {
  // The script first waits for a line of input, so that it prints nothing before the server has its streams.
  const command = ['-c', `read -r _ || exit\n${script}`, 'inspector', ...words];
  // In a separate process group, Ctrl-C does not reach the program, and its children can be killed together with it.
  const child = spawn('/bin/sh', command, { env, cwd: '/', stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  child.once('error', ({ message }) => tell({ kind: 'ended', id, how: message }));
  const { pid } = child;
  if (pid === undefined) return;
  groups.set(id, pid);
  yieldToOthers(pid, priority);
  for (const stream of child.stdio) if (stream instanceof Socket) tell({ kind: 'stream', id }, stream);
  // This is sent after the streams, because this process might read from a stream that the server does not have yet.
  tell({ kind: 'launched', id, pid });
  child.once('exit', (code, signal) => {
    groups.delete(id);
    killProcessGroup(pid);
    tell({ kind: 'ended', id, how: String(signal ?? code) });
  });
}

// Killing the first process of a namespace kills all others in it. The parent, which waits for that process, is killed
// afterwards. If both were killed together, process 1 would inherit a zombie; in a container, process 1 may be the
// server, which does not reap zombies.
function end(group: number): void {
  try {
    const child = Number.parseInt(readFileSync(`/proc/${group}/task/${group}/children`, 'utf8'), 10);
    const isFirst = /^NSpid:.*\t1$/m.test(readFileSync(`/proc/${child}/status`, 'utf8'));
    if (isFirst) process.kill(child, 'SIGKILL');
    else killProcessGroup(group);
  } catch {
    // The group has no child process that must be killed first.
    killProcessGroup(group);
  }
}

function tell(news: LauncherMessage, stream?: Socket): void {
  // Errors are ignored, because they mean that the server has already exited.
  process.send?.(news, stream, {}, () => undefined);
}

function yieldToOthers(pid: number, priority: number): void {
  try {
    setPriority(pid, priority);
  } catch {
    // The process has ended, or the operating system refuses; the priority does not change.
  }
  yieldGroup(pid, priority);
}

// Linux may divide processor time among sessions, such as that of a separate process group, so a process's priority
// only counts within its session. The system lets users set the priority of a session at most ten times a second,
// unless they are root.
function yieldGroup(pid: number, priority: number, tries = 10): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(priority));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN' && tries > 1) setTimeout(yieldGroup, 100, pid, priority, tries - 1);
  }
}
