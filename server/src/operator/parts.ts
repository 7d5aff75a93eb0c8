import type { FileServices } from '../attachments/attachments-setup.ts';
import type { RevocationJournal } from '../backup/journal-commands.ts';
import type { EventAnnouncer } from '../events/event-commands.ts';
import type { SystemUser } from '../identity/audit-commands.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Settings } from '../platform/settings/settings.ts';
import type { MigrationReporter, Store } from '../store/store.ts';

export interface ServerFacts {
  /** The public address of the server. */
  readonly url: string;
  /** The address on which the server listens. */
  readonly local_url: string;
  readonly started_at: string;
}

/** The process data that `doctor` checks. */
interface ProcessFacts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nodeVersion: string;
  /** Undefined if the system has no user ids. */
  readonly uid: number | undefined;
}

/** The dependencies of every command, both in the server and in the operator's own process. */
export interface OperatorDependencies {
  readonly settings: Settings;
  /** The clock of the database; available once the database is open. */
  readonly clock: Clock;
  /** The clock of the machine, for comparison with that of the database. */
  readonly machineClock: Clock;
  readonly log: Logger;
  readonly store: {
    /** Opens the database and migrates its schema, as the server does when it starts. */
    upToDate(): Promise<Store>;
    /** Opens the database without changing it; undefined if there is none. */
    asItIs(): Promise<Store | undefined>;
    /** Applies pending migrations, regardless of PLATFORM_MIGRATE. Returns their names. */
    migrate(report?: MigrationReporter): Promise<readonly string[]>;
  };
  /** The system user who runs the command. */
  readonly by: SystemUser;
  /** Opens the revocation journal, which is next to the backups. Also opens the database, as `asItIs` does. */
  readonly journal: () => Promise<Pick<RevocationJournal, 'positions'>>;
  /** Prints a line immediately, before the result. */
  readonly note: (text: string) => void;
  /** Writes events. A server that runs the command wakes the receivers; otherwise, they wait for the next poll. */
  readonly announce: EventAnnouncer;
  /** Closes the event connections of agents whose access has ended; other servers do so within seconds. */
  readonly accessChanged: (agentIds: readonly string[]) => void;
  /** Runs work with the server's storage and file checks; without a server, opens both for this work. */
  readonly withFiles: <T>(store: Store, work: (files: FileServices['parts']) => Promise<T>) => Promise<T>;
  /** Immediately runs the work of this process that became due when the test clock was advanced. */
  readonly clockMoved: () => Promise<void>;
  /** The process that runs the command. */
  readonly process: ProcessFacts;
  /** The server that runs the command; null in the operator's own process. */
  readonly server: ServerFacts | null;
}

/** The dependencies of commands that a server runs; each command has its own `note` and user. */
export type ServerDependencies = Omit<OperatorDependencies, 'note' | 'by'>;

/** The process that runs the operator program. */
export interface OperatorProcess extends ProcessFacts {
  readonly clock: Clock;
  /** Asks the person at the terminal; undefined without a terminal. */
  readonly ask?: (question: string) => Promise<string>;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Logs the messages of libraries. */
  readonly errorStream: NodeJS.WritableStream;
}
