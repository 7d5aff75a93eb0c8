import { defaultLimits, type Limits } from './budget/limits.ts';
import { type HookCommands, noHooks } from './hooks/hooks.ts';

/** Each optional part of the API, with the requirement of the operation that its other requirements depend on. */
export const apiParts = {
  files: 'AP-FILE-001',
  posts: 'AP-POST-001',
  contacts: 'AP-CONTACT-002',
  messages: 'AP-MESSAGE-001',
  orders: 'AP-ORDER-010',
  wallet: 'AP-WALLET-001',
  events: 'AP-EVENT-001',
  search: 'AP-SEARCH-001',
} as const;

/** A part of the API that a run can omit. */
export type ApiPart = keyof typeof apiParts;

export const apiPartNames = Object.keys(apiParts) as readonly ApiPart[];

export interface ReportTarget {
  readonly kind: 'badge' | 'bundle' | 'html' | 'json' | 'junit' | 'markdown';
  readonly file: string;
}

/** An optional part of the specification that a server declares. */
export type ConformanceProfile = 'limits';

/** The options of a run against one server. */
export interface RunOptions {
  readonly baseUrl: string;
  readonly wsUrl: string | undefined;
  readonly hooks: HookCommands;
  readonly invitation: string | undefined;
  readonly agentsFile: string | undefined;
  readonly baselineFile: string | undefined;
  /** The ids or id prefixes of the requirements to test; empty selects all. */
  readonly only: readonly string[];
  readonly skip: readonly string[];
  /** The parts of the API that the server lacks. */
  readonly without: readonly ApiPart[];
  readonly profiles: readonly ConformanceProfile[];
  readonly reports: readonly ReportTarget[];
  readonly strict: boolean;
  /** How long to wait for an event, or for the server to close a connection. */
  readonly eventSeconds: number;
  /** The factor by which every time limit is multiplied, for a slow server. */
  readonly timeScale: number;
  readonly limits: Limits;
  /** The seed of all random choices; if undefined, the run chooses one. */
  readonly seed: number | undefined;
  /** The number of commands in each random walk. */
  readonly walkSteps: number;
  /** Whether the checks run in a random order, which the seed determines. */
  readonly shuffle: boolean;
  /** Whether to send only requests that create nothing on the server. */
  readonly readOnly: boolean;
}

/** The number of commands in a random walk. More would not fit into a run with the specified rate limits. */
export const defaultWalkSteps = 20;

/** Makes the options of a run: the chosen ones, and otherwise the defaults of the command line. */
export function runOptions(baseUrl: string, chosen: Partial<RunOptions> = {}): RunOptions {
  return {
    baseUrl,
    wsUrl: undefined,
    hooks: noHooks,
    invitation: undefined,
    agentsFile: undefined,
    baselineFile: undefined,
    only: [],
    skip: [],
    without: [],
    profiles: [],
    reports: [],
    strict: false,
    eventSeconds: 10,
    timeScale: 1,
    limits: defaultLimits,
    seed: undefined,
    walkSteps: defaultWalkSteps,
    shuffle: false,
    readOnly: false,
    ...chosen,
  };
}
