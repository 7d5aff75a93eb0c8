import { setImmediate } from 'node:timers/promises';
import { messages, type PGlite, protocol } from '@electric-sql/pglite';
import type { PGliteDialectConfig } from 'kysely';
import { FrequentStatements } from '../statements/frequent-statements.ts';

type KyselyDatabase = Exclude<PGliteDialectConfig['pglite'], (...args: never) => unknown>;
type KyselyTransaction = Parameters<Parameters<KyselyDatabase['transaction']>[0]>[0];
type Query = KyselyDatabase['query'];

interface Parsed {
  readonly parameterTypes: readonly number[];
  readonly columns: readonly { readonly name: string; readonly read: ((text: string) => unknown) | undefined }[];
}

const { serialize } = protocol;
const begin = serialize.query('begin');
const commit = serialize.query('commit');
const rollback = serialize.query('rollback');
const byteaType = 17;
const changedRows = /^(?:INSERT|UPDATE|DELETE|MERGE) (?:\d+ )?(\d+)$/;

/**
 * A session of an embedded database that exchanges few messages. PGlite itself parses and plans each statement anew and
 * exchanges six messages for it, which takes ten times as long as a short statement. Here a frequent statement is
 * prepared and needs one exchange, any other needs two, and `begin` is sent with the first statement of a transaction.
 */
export class EmbeddedSession implements KyselyDatabase {
  readonly #database: PGlite;
  readonly #frequent = new FrequentStatements();
  readonly #prepared = new Map<string, Parsed>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(database: PGlite) {
    this.#database = database;
  }

  get closed(): boolean {
    return this.#database.closed;
  }

  get ready(): boolean {
    return this.#database.ready;
  }

  get waitReady(): Promise<void> {
    return this.#database.waitReady;
  }

  async close(): Promise<void> {
    await this.#database.close();
  }

  query: Query = (text, values = []) => this.#inTurn(() => this.#run(text, values));

  transaction<Result>(work: (transaction: KyselyTransaction) => Promise<Result>): Promise<Result> {
    return this.#inTurn(async () => {
      let before: Uint8Array | undefined = begin;
      const query: Query = async (text, values = []) => {
        const first = before;
        before = undefined;
        return await this.#run(text, values, first);
      };
      const end = async (message: Uint8Array) => {
        if (before === undefined) await this.#exchange([message]);
      };
      try {
        const result = await work({ query, rollback: () => end(rollback) });
        await end(commit);
        return result;
      } catch (error) {
        await end(rollback);
        throw error;
      }
    });
  }

  // Runs statements and transactions one at a time, in the order of the calls. It yields to the event loop after each
  // one, because the database runs on the same thread.
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined).then(() => setImmediate());
    return result;
  }

  async #run<Row>(text: string, values: readonly unknown[], before?: Uint8Array) {
    const statement = this.#frequent.nameOf(text, values);
    const known = statement === undefined ? undefined : this.#prepared.get(statement);
    const parsed = known ?? (await this.#parse(text, statement, before));
    const bound = values.map((value, index) => this.#write(value, parsed.parameterTypes[index] ?? 0));
    const bind = serialize.bind({ statement: statement ?? '', values: bound });
    const parts = [bind, serialize.execute({}), serialize.sync()];
    const answers = await this.#exchange(known === undefined || before === undefined ? parts : [before, ...parts]);
    return { fields: [], ...readRows<Row>(answers, parsed) };
  }

  async #parse(text: string, name = '', before?: Uint8Array): Promise<Parsed> {
    const parts = [serialize.parse({ name, text }), serialize.describe({ type: 'S', name }), serialize.sync()];
    const answers = await this.#exchange(before === undefined ? parts : [before, ...parts]);
    const parameters = answers.find((answer) => answer instanceof messages.ParameterDescriptionMessage);
    const rows = answers.find((answer) => answer instanceof messages.RowDescriptionMessage);
    const columns = rows?.fields.map(({ name: column, dataTypeID }) => {
      return { name: column, read: this.#database.parsers[dataTypeID] };
    });
    const parsed = { parameterTypes: parameters?.dataTypeIDs ?? [], columns: columns ?? [] };
    if (name !== '') this.#prepared.set(name, parsed);
    return parsed;
  }

  #write(value: unknown, type: number): string | Uint8Array | null {
    if (value === null || value === undefined) return null;
    if (type === byteaType && value instanceof Uint8Array) return value;
    const write = this.#database.serializers[type];
    return write === undefined ? String(value) : write(value);
  }

  // Throws the first error, but only after the database has answered every message.
  async #exchange(parts: readonly Uint8Array[]): Promise<readonly Message[]> {
    return await this.#database.execProtocolStream(Buffer.concat(parts));
  }
}

type Message = Awaited<ReturnType<PGlite['execProtocolStream']>>[number];

function readRows<Row>(answers: readonly Message[], { columns }: Parsed): { rows: Row[]; affectedRows: number } {
  const rows: Row[] = [];
  let affectedRows = 0;
  for (const answer of answers) {
    if (answer instanceof messages.DataRowMessage) {
      const row: Record<string, unknown> = {};
      for (const [index, { name, read }] of columns.entries()) {
        const field = answer.fields[index] ?? null;
        row[name] = field === null || read === undefined ? field : read(field);
      }
      // The rows that the database returned are assumed to have the query's type.
      rows.push(row as Row);
    } else if (answer instanceof messages.CommandCompleteMessage) {
      affectedRows = Number(changedRows.exec(answer.text)?.[1] ?? 0);
    }
  }
  return { rows, affectedRows };
}
