/**
 * Why an agent's connections are woken: an event waits for it; events of it were
 * settled, which may make room in a full window; its access may have ended.
 */
export const wakeReasons = ['mail', 'settled', 'access'] as const;
export type WakeReason = (typeof wakeReasons)[number];

/** Receives wake-ups of other processes; `all` when some may have been lost. */
export type OnWakeUp = (reason: WakeReason, agentIds: readonly string[] | 'all') => void;

/**
 * Notifies the other processes of a database which agents' connections have
 * work. A lost notification costs time and never an event, because every process
 * also checks every few seconds.
 */
export interface WakeUps {
  notifyOthers(reason: WakeReason, agentIds: readonly string[]): void;
  close(): Promise<void>;
}

/** For the only process of a database. */
export const noWakeUps: WakeUps = { notifyOthers: () => undefined, close: async () => undefined };
