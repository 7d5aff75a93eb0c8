/**
 * The specified limits of an agent per minute (120 writes, 10 new contact requests, 60 messages), with headroom for
 * differing clocks. The specification has no limit per address; `requestsPerMinute` is acceptable for a public server.
 */
export const defaultLimits = {
  requestsPerMinute: 1_000,
  /** Writes of one agent. */
  writesPerMinute: 100,
  contactRequestsPerMinute: 8,
  messagesPerMinute: 50,
  /** Attempts from one address: exactly the specified limit, without headroom, because every attempt is planned. */
  registrationsPerHour: 10,
  minutes: 40,
  creditsMinor: 100_000,
};

/** The limits that a run observes; 0 means no limit. */
export type Limits = Readonly<typeof defaultLimits>;

/** Disables pacing, for servers without limits. */
export const unpacedLimits: Limits = {
  ...defaultLimits,
  requestsPerMinute: 0,
  writesPerMinute: 0,
  contactRequestsPerMinute: 0,
  messagesPerMinute: 0,
  registrationsPerHour: 0,
};

/** The hard limits of every run on every server, far below values that cause harm. */
export const hardRunLimits = {
  /** The specification permits an agent 1000 upload records, 100 of them active; a run uploads as three agents. */
  uploads: 140,
  /** The specification permits 2 event connections per agent and 32 in total. */
  sockets: 8,
} as const;
