/**
 * The stated limits (120 changes of one identity, 10 new contact requests and 60
 * messages in a minute) with head room for clocks that differ. The limit of one
 * address is not stated; this is a pace that a public server can be expected to bear.
 */
export const defaultLimits = {
  /** Everything from one address together. */
  requestsPerMinute: 1_000,
  /** Changes by one agent. */
  writesPerMinute: 100,
  contactRequestsPerMinute: 8,
  messagesPerMinute: 50,
  /** Attempts from one address; the stated number, as every attempt is planned. */
  registrationsPerHour: 10,
  minutes: 40,
  creditsMinor: 100_000,
};

/** How much a run may ask of a server; 0 stands for no limit. */
export type Limits = Readonly<typeof defaultLimits>;

/** As fast as the server answers, for servers whose limits are off. */
export const withoutPace: Limits = {
  ...defaultLimits,
  requestsPerMinute: 0,
  writesPerMinute: 0,
  contactRequestsPerMinute: 0,
  messagesPerMinute: 0,
  registrationsPerHour: 0,
};

/** What no run of the suite goes beyond on any server: stated, and far from where it hurts. */
export const ceilings = {
  /** Stated: 1000 upload records of one agent, 100 of them active; those of a run are of three agents. */
  uploads: 140,
  /** Stated: 2 event connections of one agent, 32 in all. */
  sockets: 8,
} as const;
