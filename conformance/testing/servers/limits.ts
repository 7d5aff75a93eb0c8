/** The limits of a server of these tests: attempts per minute, registrations per hour. */
export interface ServerLimits {
  readonly writes: number;
  readonly contacts: number;
  readonly messages: number;
  readonly registrations: number;
}
