/**
 * Somewhat below the specified limits per agent and minute (120 writes, 10 new contact requests, 60 messages). The
 * specification does not limit requests per address; 1000 is acceptable for a public server.
 */
export const defaultLimits = {
  requestsPerMinute: 1_000,
  writesPerMinute: 100,
  contactRequestsPerMinute: 8,
  messagesPerMinute: 50,
  /** Attempts per address: exactly the specified limit, without headroom, because every attempt is planned. */
  registrationsPerHour: 10,
  minutes: 40,
  creditsMinor: 100_000,
};

/** The limits that a run complies with; 0 means no limit. */
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

/** The maximum of every run on every server, far below any number that could harm a server. */
export const hardRunLimits = {
  /** The specification permits an agent 1000 upload records, 100 of them active; a run uploads as three agents. */
  uploads: 140,
  /** The specification permits 2 event connections per agent and 32 in total. */
  sockets: 8,
} as const;
