import { AsyncLocalStorage } from 'node:async_hooks';
import { Client } from 'pg';

/** A statement as it was sent; only a prepared one has a name. */
interface SentStatement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

const recording = new AsyncLocalStorage<SentStatement[]>();

/** Does some work and returns the statements that the driver sent for it. */
export async function recordStatements(work: () => Promise<unknown>): Promise<readonly SentStatement[]> {
  const sent: SentStatement[] = [];
  await recording.run(sent, work);
  if (sent.length === 0) throw new Error('No statement was recorded.');
  return sent;
}

const query: (...args: unknown[]) => unknown = Client.prototype.query;
Client.prototype.query = function record(this: Client, ...args: unknown[]) {
  const statement = args[0] as SentStatement | string;
  recording.getStore()?.push(typeof statement === 'string' ? { text: statement } : { ...statement });
  return query.apply(this, args);
} as typeof Client.prototype.query;
