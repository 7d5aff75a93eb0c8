import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import { folderState } from '../src/index.ts';
import { folderOwner } from './earlier-folder.ts';

/** What the program below is told on its command line. */
export interface ImportPlan {
  readonly folder: string;
  /** Before which change of the disk the process kills itself; null for none. */
  readonly killBefore: number | null;
  /** Whether files cannot be deleted. */
  readonly isReadOnly?: boolean;
}

// Run as a program by folder-import.test.ts: it opens a folder of version 0.1
// and is killed before one exact change of the disk.
const plan: ImportPlan = JSON.parse(process.argv[2] ?? '');
let changes = 0;

function countChange(): void {
  changes += 1;
  if (changes === plan.killBefore) process.kill(process.pid, 'SIGKILL');
}

for (const name of ['writeFileSync', 'renameSync', 'rmSync'] as const) {
  const inner = fs[name];
  const counted = (...args: unknown[]) => {
    countChange();
    if (name === 'rmSync' && plan.isReadOnly === true) throw new Error('EACCES');
    return Reflect.apply(inner, fs, args);
  };
  Reflect.set(fs, name, counted);
}
syncBuiltinESMExports();
const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (sql) {
  if (sql === 'begin immediate' || sql === 'commit') countChange();
  return exec.call(this, sql);
};

const state = folderState(plan.folder);
await state.open(folderOwner);
await state.close();
