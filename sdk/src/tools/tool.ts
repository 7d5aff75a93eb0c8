import type { AgentPlatform } from '../agent-platform.ts';
import type { EventReceiver } from './event-receiver.ts';
import type { JsonSchema } from './schemas/json-schema.ts';

/** The classes that `--allow` accepts. */
export const allowableClasses = ['publish', 'files', 'rights', 'contacts', 'block', 'delete'] as const;

/** The permission class of an action. The spend limit decides on `money`, and `--allow` on all other classes. */
export type ActClass = 'money' | (typeof allowableClasses)[number];

/** Remembers the paths from which files were uploaded, so that questions can show them. */
export interface UploadPaths {
  /** Stores the paths of the file with this hash, and the id of its attachment. */
  rememberPaths(sha256: string, attachmentId: string, paths: readonly string[]): void;
  /** Returns all known paths of an attachment; empty if another program uploaded it. */
  pathsOf(attachmentId: string): readonly string[];
}

/** The only folder in which tools read and write files. */
export interface FilesFolder {
  /** Opens a file for reading; `path` is shown in questions. */
  readonly open: (name: string) => Promise<{
    readonly path: string;
    readonly filename: string;
    readonly content: () => AsyncIterable<Uint8Array>;
    readonly close: () => Promise<void>;
  }>;
  /** Creates a new file with the extension of its type; `path` is shown to the model. */
  readonly create: (
    name: string,
    contentType: string,
  ) => Promise<{
    readonly path: string;
    readonly write: (bytes: Uint8Array) => Promise<void>;
    readonly finish: () => Promise<void>;
    readonly discard: () => Promise<void>;
  }>;
}

/** The agent that tools act as, and the dependencies of tools. */
export interface ToolContext {
  readonly platform: AgentPlatform;
  readonly me: { readonly id: string; readonly handle: string };
  readonly now: () => Date;
  /** Aborted when the client cancels the call or the program ends. */
  readonly signal: AbortSignal;
  /** Undefined without `--files-folder`; the tools for local files are then absent. */
  readonly filesFolder: FilesFolder | undefined;
  readonly uploads: UploadPaths;
  readonly events: EventReceiver;
  /** Whether a tool is offered; results only recommend offered tools. */
  readonly offers: (tool: string) => boolean;
}

/** The member `picture` of a result, for programs that can show pictures to their model. */
export interface Picture {
  readonly media_type: string;
  /** Base64. */
  readonly data: string;
}

/** The result of a tool; texts of other agents are `ForeignText` until `markTexts` moves them. */
export type Result = Readonly<Record<string, unknown>>;

interface ToolDescription {
  /** In the form `noun_verb`. */
  readonly name: string;
  /** The corresponding command of `agentp`, with the same effect and repeat class. */
  readonly command: string;
  readonly effect: 'read' | 'write' | 'money' | 'irreversible';
  readonly repeat: 'safe' | 'idempotent' | 'with-key' | 'never';
  /** For the model: when to use the tool, and what to call next. Contains no texts of other agents. */
  readonly description: string;
  readonly input: JsonSchema;
  readonly output: JsonSchema;
}

/** A tool that needs no confirmation. */
interface PlainTool extends ToolDescription {
  readonly run: (input: ToolInput, context: ToolContext) => Promise<Result>;
}

/** A tool whose act may need a confirmation. */
export interface ConfirmedTool extends ToolDescription {
  /** Reads the data needed for the decision, without changing anything. */
  readonly plan: (input: ToolInput, context: ToolContext) => Promise<Plan>;
  /** Sends the planned request, based only on the arguments and the facts. */
  readonly send: (input: ToolInput, facts: Facts, context: ToolContext) => Promise<Result>;
}

export type Tool = PlainTool | ConfirmedTool;

/** The data to which a confirmation is bound. It is sealed into the request state, and stored before the request. */
export interface Facts {
  /** A UUID: the idempotency key of an order command, and the id by which a confirmation is valid only once. */
  readonly operation_id: string;
  readonly order_id: string | null;
  /** The version of the order that the decision is based on. */
  readonly version: number | null;
  /** The cost for the customer in minor units; null if nothing is paid. */
  readonly total_minor: number | null;
  /** The agent in the arguments; if there is a total, the contractor who is to receive it. */
  readonly agent_id: string | null;
  /** The profile change to send, if it contains more than the arguments. */
  readonly change?: Readonly<Record<string, unknown>>;
  /** Identifies the profile texts that the question shows; the change is only sent if they are still the same. */
  readonly shown?: string;
}

/** An act that has not been sent yet. */
export interface Plan {
  /** If empty, the act needs no confirmation. */
  readonly classes: readonly ActClass[];
  readonly facts: Facts;
  /** Explains the act and shows everything that becomes public or binding; undefined if it cannot be complete. */
  readonly question: string | undefined;
  /** When the act becomes impossible, if known; its approval then expires. */
  readonly endsAt?: string;
}

/** The arguments of a call, which fit the schema of the tool. */
export class ToolInput {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: unknown) {
    this.#values = typeof values === 'object' && values !== null ? Object.fromEntries(Object.entries(values)) : {};
  }

  text(name: string): string {
    return this.optionalText(name) ?? '';
  }

  optionalText(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  optionalNumber(name: string): number | undefined {
    const value = this.#values[name];
    return typeof value === 'number' ? value : undefined;
  }

  number(name: string): number {
    return this.optionalNumber(name) ?? 0;
  }

  optionalFlag(name: string): boolean | undefined {
    const value = this.#values[name];
    return typeof value === 'boolean' ? value : undefined;
  }

  flag(name: string): boolean {
    return this.optionalFlag(name) ?? false;
  }

  texts(name: string): string[] | undefined {
    const value = this.#values[name];
    return Array.isArray(value) ? value.map(String) : undefined;
  }

  /** Returns the named members that are present. */
  pick(...names: readonly string[]): Record<string, unknown> {
    return Object.fromEntries(names.flatMap((name) => (name in this.#values ? [[name, this.#values[name]]] : [])));
  }

  toJSON(): Readonly<Record<string, unknown>> {
    return this.#values;
  }
}

export function factsWithoutOrder(operationId: string, agentId: string | null = null): Facts {
  return { operation_id: operationId, order_id: null, version: null, total_minor: null, agent_id: agentId };
}
