import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

// `npm run lab -- busy [minutes] [command …]`: loads the machine for 60 minutes or while a command runs, to find tests
// that exceed their time limits on a busy machine.

process.exitCode = await loadMachine(process.argv.slice(2));

/** Two processes compute without pause, and four shells start Node.js in a loop, to occupy most processors. */
async function loadMachine([first = '', ...rest]: readonly string[]): Promise<number> {
  const hasMinutes = /^\d+$/.test(first);
  const minutes = hasMinutes ? Number(first) : 60;
  const [program, ...args] = hasMinutes ? rest : [first, ...rest].filter((word) => word !== '');
  // The children exit if this process is killed.
  const compute = `for (;;) { for (let i = 0; i < 1e8; i += 1); process.kill(${process.pid}, 0); }`;
  const startInLoop = `while kill -0 ${process.pid}; do "$0" -e 0; done`;
  const load = [
    ...Array.from({ length: 2 }, () => spawn(process.execPath, ['-e', compute], { stdio: 'ignore' })),
    ...Array.from({ length: 4 }, () => spawn('sh', ['-c', startInLoop, process.execPath], { stdio: 'ignore' })),
  ];
  console.error(`Two processes compute and four shells start Node.js in a loop, for ${minutes} minutes at most.`);
  const limit = AbortSignal.timeout(minutes * 60_000);
  const interrupted = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => once(process, signal));
  const ending = [once(limit, 'abort').then(() => 0), Promise.race(interrupted).then(() => 130)];
  const command = program === undefined ? undefined : spawn(program, args, { stdio: 'inherit' });
  if (command !== undefined) ending.push(once(command, 'close').then(([code]) => Number(code ?? 1)));
  const code = await Promise.race(ending);
  await Promise.all([...load, ...(command === undefined ? [] : [command])].map(end));
  return code;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}
