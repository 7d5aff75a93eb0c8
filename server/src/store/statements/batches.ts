import { CostlyReadLimiter } from '../costly-reads.ts';
import type { BatchedStatement, Store } from '../store.ts';
import { StatementCanceledError, StoreUnavailableError } from '../unavailable.ts';

const batchLimits = {
  /** The maximum number of calls that one execution answers. */
  calls: 64,
  /** The maximum number of rows that one execution returns for different calls; a row may have tens of KB. */
  rows: 1_024,
  /** An execution that takes longer counts as slow, so that another one may start in parallel. */
  slowMs: 50,
  /** The maximum number of concurrent executions; all except one of them are slow. */
  underWay: 4,
  /** How long a call waits to be sent. */
  waitMs: 4_000,
};

interface Call {
  readonly values: readonly unknown[];
  readonly sinceMs: number;
  readonly resolve: (rows: readonly unknown[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Calls that one part of an execution answers: a single write, or all reads with the same values. */
interface SameCalls {
  readonly values: readonly unknown[];
  /** The values by name, as JSON; empty for a single call. */
  readonly json: string;
  readonly calls: readonly Call[];
}

/**
 * Joins calls of the same statement while an execution of it is in progress: together they form the next execution.
 * Under load, one exchange with the database serves many calls; without load, no call waits. An answer is never older
 * than its call, because a call only joins an execution that has not been sent yet.
 */
export class StatementBatcher {
  readonly #run: Store['run'];
  /** For expensive statements, which share one connection. */
  readonly #costly = new CostlyReadLimiter(1);
  readonly #lanes = new Map<string, Lane>();

  constructor(run: Store['run']) {
    this.#run = run;
  }

  /** The returned rows may be shared with other calls with the same values. */
  ask<Row>(statement: BatchedStatement<Row>, values: readonly unknown[]): Promise<readonly Row[]> {
    let lane = this.#lanes.get(statement.name);
    if (lane === undefined) {
      const runInTurn: Store['run'] = (prepared, values) =>
        this.#costly.read(statement.name, () => this.#run(prepared, values));
      lane = new Lane(statement.isCostly === true ? runInTurn : this.#run, statement);
      this.#lanes.set(statement.name, lane);
    }
    // The rows that the driver returned are assumed to have the statement's type.
    return lane.add(values) as Promise<readonly Row[]>;
  }
}

class Lane {
  readonly #run: Store['run'];
  readonly #statement: BatchedStatement<unknown>;
  readonly #callsMax: number;
  #waiting: Call[] = [];
  #underWay = 0;
  #slow = 0;
  #isScheduled = false;

  constructor(run: Store['run'], statement: BatchedStatement<unknown>) {
    this.#run = run;
    this.#statement = statement;
    const { calls, rows } = batchLimits;
    // Calls without parameters share the same rows, so only the number of calls is limited.
    this.#callsMax = statement.parameters.length === 0 ? calls : Math.min(calls, Math.ceil(rows / statement.rowsMax));
  }

  add(values: readonly unknown[]): Promise<readonly unknown[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ values, sinceMs: performance.now(), resolve, reject });
      this.#schedule();
    });
  }

  // Runs after the input of this event loop turn was read, so that requests arriving together share an execution.
  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    const underWayMax = this.#statement.isCostly === true ? 1 : batchLimits.underWay;
    if (this.#underWay > this.#slow || this.#underWay >= underWayMax) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const calls = this.#waiting.splice(0, this.#callsMax);
      const latestMs = performance.now() - batchLimits.waitMs;
      // Calls wait in the order of arrival, so those that have waited too long are the first ones.
      while (calls[0] !== undefined && calls[0].sinceMs < latestMs) {
        calls.shift()?.reject(new StoreUnavailableError('The database responds too slowly.'));
      }
      this.#execute(calls);
    });
  }

  #execute(calls: readonly Call[]): void {
    this.#underWay += 1;
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      this.#slow += 1;
      this.#schedule();
    }, batchLimits.slowMs);
    this.#answer(calls).finally(() => {
      clearTimeout(timer);
      this.#underWay -= 1;
      if (isSlow) this.#slow -= 1;
      this.#schedule();
    });
  }

  async #answer(calls: readonly Call[]): Promise<void> {
    const all = this.#joinSame(calls);
    const [first] = all;
    if (first === undefined) return;
    if (all.length === 1) return await this.#answerAlone(first);
    try {
      const rows = await this.#run(this.#statement.together, [`[${all.map(({ json }) => json).join()}]`]);
      const answers = Map.groupBy(rows, ({ call_number }) => call_number);
      const ends = all.map((same, index) => {
        const found = answers.get(index + 1) ?? [];
        if (found.length === 0 && this.#statement.whenAbsent === 'run alone') return this.#answerAlone(same);
        for (const { resolve } of same.calls) resolve(found);
        return undefined;
      });
      await Promise.all(ends);
    } catch (error) {
      // An unknown outcome may mean that the database does not respond, so no call is repeated. Any other error may be
      // caused by a single call, so the calls are repeated separately.
      const isUnknown = error instanceof StoreUnavailableError && !(error instanceof StatementCanceledError);
      if (isUnknown) for (const { reject } of calls) reject(error);
      else await Promise.all(all.map((same) => this.#answerAlone(same)));
    }
  }

  async #answerAlone({ values, calls }: SameCalls): Promise<void> {
    try {
      const rows = await this.#run(this.#statement.alone, values);
      for (const { resolve } of calls) resolve(rows);
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }

  // Reads with the same values share their rows. A call that writes is never joined.
  #joinSame(calls: readonly Call[]): readonly SameCalls[] {
    const { toJson, whenAbsent } = this.#statement;
    if (calls.length === 1) return calls.map((call) => ({ ...call, json: '', calls: [call] }));
    if (whenAbsent === 'run alone') return calls.map((call) => ({ ...call, json: toJson(call.values), calls: [call] }));
    const groups = [...Map.groupBy(calls, ({ values }) => toJson(values))];
    return groups.map(([json, same]) => ({ values: same[0]?.values ?? [], json, calls: same }));
  }
}
