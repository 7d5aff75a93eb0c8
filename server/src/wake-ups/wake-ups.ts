/**
 * Why an agent's connections are woken: an event waits for it; events of it were
 * settled, which may make room in a full window; its access may have ended.
 */
export type WakeReason = 'mail' | 'settled' | 'access';

/** Hears of wake-ups of other processes; `all` when some may have been missed. */
export type OnWakeUp = (reason: WakeReason, agentIds: readonly string[] | 'all') => void;

/**
 * Tells the other processes on one database which agents' connections have
 * something to do. What is lost costs time and never an event: every process
 * also looks by itself, every few seconds.
 */
export interface WakeUps {
  notifyOthers(reason: WakeReason, agentIds: readonly string[]): void;
  close(): Promise<void>;
}

/** For a process that is alone on its database. */
export const noWakeUps: WakeUps = { notifyOthers: () => undefined, close: async () => undefined };
