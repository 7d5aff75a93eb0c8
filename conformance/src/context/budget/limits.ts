/**
 * The stated limits (120 changes of an agent, 10 new contact requests and 60 messages a minute), with head room for
 * differing clocks. The limit of an address is not stated; this pace is acceptable for a public server.
 */
export const defaultLimits = {
  requestsPerMinute: 1_000,
  /** Changes by one agent. */
  writesPerMinute: 100,
  contactRequestsPerMinute: 8,
  messagesPerMinute: 50,
  /** Attempts from one address; the stated number, because every attempt is planned. */
  registrationsPerHour: 10,
  minutes: 40,
  creditsMinor: 100_000,
};

/** The limits that a run keeps; 0 means no limit. */
export type Limits = Readonly<typeof defaultLimits>;

/** No pacing, for servers without limits. */
export const withoutPace: Limits = {
  ...defaultLimits,
  requestsPerMinute: 0,
  writesPerMinute: 0,
  contactRequestsPerMinute: 0,
  messagesPerMinute: 0,
  registrationsPerHour: 0,
};

/** The hard limits of every run on every server: far from values that hurt. */
export const ceilings = {
  /** Stated: 1000 upload records of one agent, 100 of them active; those of a run are of three agents. */
  uploads: 140,
  /** Stated: 2 event connections of an agent; 32 in total. */
  sockets: 8,
} as const;
