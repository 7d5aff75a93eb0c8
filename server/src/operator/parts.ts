import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Settings } from '../platform/settings/settings.ts';
import type { Store } from '../store/store.ts';

/** The ways to the database that a command may choose from. */
export interface StoreAccess {
  /** Opens it with its schema brought up to date, as a start of the server does. */
  upToDate(): Promise<Store>;
  /** Opens it as it stands and changes nothing; undefined where none has been made yet. */
  asItIs(): Promise<Store | undefined>;
}

/** What an operator wants to know of a running server. */
export interface ServerFacts {
  /** The address that agents see. */
  readonly url: string;
  /** The address that it listens on. */
  readonly local_url: string;
  readonly started_at: string;
}

/** What commands work with, in the server and in a process of their own alike. */
export interface OperatorParts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: StoreAccess;
  /** Ends the event connections of agents whose access has ended; without a server of its own, other servers find it by themselves. */
  readonly accessChanged: (agentIds: readonly string[]) => void;
  /** The server that runs the command; null in a process of its own. */
  readonly server: ServerFacts | null;
}
