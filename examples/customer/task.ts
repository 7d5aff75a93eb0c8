import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The ids and the deadline that stay the same when the program runs again after a kill. */
export interface Task {
  readonly operationId: string;
  readonly uploadId: string;
  readonly deadline: string;
}

/** Reads the task of a file, or creates the file before any request. */
export async function openTask(file: string, deadlineMs: number): Promise<Task> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) return JSON.parse(text) as Task;
  const task: Task = {
    operationId: randomUUID(),
    uploadId: randomUUID(),
    deadline: new Date(Date.now() + deadlineMs).toISOString(),
  };
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.part`, JSON.stringify(task), { mode: 0o600, flush: true });
  await rename(`${file}.part`, file);
  return task;
}
