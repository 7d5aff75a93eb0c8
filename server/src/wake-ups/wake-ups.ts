/**
 * Why an agent's connections are woken: an event is waiting; events were settled, which may free space in a full
 * window; or the agent's access may have ended.
 */
export const wakeReasons = ['mail', 'settled', 'access'] as const;
export type WakeReason = (typeof wakeReasons)[number];

/** Receives wake-ups from other processes; `all` means that some may have been lost. */
export type WakeUpHandler = (reason: WakeReason, agentIds: readonly string[] | 'all') => void;

/**
 * Notifies the other processes on a database of the agents whose connections have work to do. A lost notification
 * delays events but never loses them, because every process also polls every few seconds.
 */
export interface WakeUps {
  notifyOthers(reason: WakeReason, agentIds: readonly string[]): void;
  close(): Promise<void>;
}

/** Wake-ups for a process that does not share its database. */
export const noWakeUps: WakeUps = { notifyOthers: () => undefined, close: async () => undefined };
