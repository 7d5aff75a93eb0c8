import type { Telemetry } from '../../platform/instruments.ts';
import type { Logger } from '../../platform/logger.ts';
import { findPreparedName } from './prepared.ts';

export interface StatementWatch {
  /** Runs a statement whose text contains only placeholders instead of values. */
  statement<Result extends { readonly rows?: readonly unknown[] }>(
    text: string,
    send: () => Promise<Result>,
  ): Promise<Result>;
  /** Runs `connect`, and measures how long it waits for a connection. */
  connection<Connection>(connect: () => Promise<Connection>): Promise<Connection>;
}

const shapeMaxLength = 500;

interface WatchDependencies {
  /** The duration above which a statement is logged as slow; 0 logs none. */
  readonly slowMs: number;
  readonly log: Logger;
  readonly telemetry: Telemetry | undefined;
}

/** Counts and times statements, and logs slow ones. Undefined if neither is enabled. */
export function watchStatements({ slowMs, log, telemetry }: WatchDependencies): StatementWatch | undefined {
  const { meters, tracing } = telemetry ?? {};
  const limitMs = slowMs === 0 ? Number.POSITIVE_INFINITY : slowMs;
  if (limitMs === Number.POSITIVE_INFINITY && telemetry === undefined) return undefined;

  function ended(text: string, tookMs: number, rows: number | undefined): void {
    if (meters !== undefined) {
      meters.statements.record(tookMs / 1_000);
      if (rows === undefined) meters.failedStatements.add(1);
    }
    if (tracing?.isActive() === true) {
      const statement = findPreparedName(text) ?? firstWord(text);
      const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': statement };
      tracing.note(statement, 'client', tookMs, attributes, rows === undefined);
    }
    if (tookMs < limitMs) return;
    const ms = Math.round(tookMs);
    log.warn({ statement: findPreparedName(text) ?? shapeOf(text), ms, rows: rows ?? null }, 'slow statement');
  }

  return {
    statement: async (text, send) => {
      const startedMs = performance.now();
      try {
        const result = await send();
        ended(text, performance.now() - startedMs, result.rows?.length ?? 0);
        return result;
      } catch (error) {
        ended(text, performance.now() - startedMs, undefined);
        throw error;
      }
    },
    connection: async (connect) => {
      if (meters === undefined) return await connect();
      const startedMs = performance.now();
      try {
        return await connect();
      } finally {
        meters.connectionWaits.record((performance.now() - startedMs) / 1_000);
      }
    },
  };
}

function firstWord(text: string): string {
  return /[a-z]+/i.exec(text)?.[0].toLowerCase() ?? 'statement';
}

/** Truncates the text of a statement and replaces its constants, which may be values. */
function shapeOf(text: string): string {
  const shape = text
    .replaceAll(/'(?:[^']|'')*'/g, '?')
    .replaceAll(/(?<![$\w])\d+(?:\.\d+)?/g, '?')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return shape.length <= shapeMaxLength ? shape : `${shape.slice(0, shapeMaxLength)}…`;
}
