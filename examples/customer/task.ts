import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What has to be the same when the program runs again after it was killed. */
export interface Task {
  readonly operationId: string;
  readonly uploadId: string;
  readonly deadline: string;
}

/** Reads the task of a file, or makes one and writes it down before anything is sent. */
export async function openTask(file: string, deadlineMs: number): Promise<Task> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) return JSON.parse(text) as Task;
  const task: Task = {
    operationId: randomUUID(),
    uploadId: randomUUID(),
    deadline: new Date(Date.now() + deadlineMs).toISOString(),
  };
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const part = `${file}.part`;
  const handle = await open(part, 'w', 0o600);
  await handle.writeFile(JSON.stringify(task));
  await handle.sync();
  await handle.close();
  await rename(part, file);
  return task;
}
