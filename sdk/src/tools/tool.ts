import type { AgentPlatform } from '../agent-platform.ts';
import type { EventReceiver } from './event-receiver.ts';
import type { JsonSchema } from './schemas/json-schema.ts';

/** The classes that `--allow` accepts. */
export const allowableClasses = ['publish', 'files', 'rights', 'contacts', 'block', 'delete'] as const;

/** The permission class of an action. The spend limit decides on `money`, and `--allow` on the others. */
export type ActClass = 'money' | (typeof allowableClasses)[number];

/** The paths that files were uploaded from, for the questions about them. */
export interface UploadPaths {
  /** Records the paths of these bytes, and the file that was uploaded with them; a download has no such file. */
  rememberPaths(sha256: string, attachmentId: string, paths: readonly string[]): void;
  /** Every known path of the same bytes; empty when other programs uploaded the file. */
  pathsOf(attachmentId: string): readonly string[];
}

/** The one folder whose files tools read and write. */
export interface FilesFolder {
  /** Opens a file for reading; `path` names it in questions. */
  readonly open: (name: string) => Promise<{
    readonly path: string;
    readonly filename: string;
    readonly content: () => AsyncIterable<Uint8Array>;
    readonly close: () => Promise<void>;
  }>;
  /** Creates a file that does not exist yet, with an extension of its type; `path` names it for the model. */
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
  /** Aborted when the client gives up or the program ends. */
  readonly signal: AbortSignal;
  /** Undefined without `--files-folder`; then the tools for files are absent. */
  readonly filesFolder: FilesFolder | undefined;
  readonly uploads: UploadPaths;
  readonly events: EventReceiver;
  /** Whether a tool is offered, so that no other one is recommended. */
  readonly offers: (tool: string) => boolean;
}

/** A picture in a result, as its member `picture`, for programs that can show it to their model. */
export interface Picture {
  readonly media_type: string;
  /** Base64. */
  readonly data: string;
}

/** A result, with texts of other agents as `ForeignText` before `markTexts`. */
export type Result = Readonly<Record<string, unknown>>;

interface ToolDescription {
  /** `noun_verb`. */
  readonly name: string;
  /** The command of `agentp` that does the same, with the same effect and repeat class. */
  readonly command: string;
  readonly effect: 'read' | 'write' | 'money' | 'irreversible';
  readonly repeat: 'safe' | 'idempotent' | 'with-key' | 'never';
  /** When to use the tool and what comes next, for a model. Never a text of another agent. */
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
  /** Reads the data needed for the decision, and changes nothing. */
  readonly plan: (input: ToolInput, context: ToolContext) => Promise<Plan>;
  /** Sends the planned request, using only the arguments and the bound facts. */
  readonly send: (input: ToolInput, facts: Facts, context: ToolContext) => Promise<Result>;
}

export type Tool = PlainTool | ConfirmedTool;

/** The data that a confirmation is bound to: sealed into the request state, and stored before the request. */
export interface Facts {
  /** A UUID: the idempotency key of an order command, and the id that allows a confirmation only one use. */
  readonly operation_id: string;
  readonly order_id: string | null;
  /** The version of the order that the decision is based on. */
  readonly version: number | null;
  /** The cost for the customer in minor units; null if nothing is paid. */
  readonly total_minor: number | null;
  /** The id for a handle in the arguments; with a total, the contractor to whom it is committed. */
  readonly agent_id: string | null;
  /** The change of the profile that is sent, if it contains more than the arguments. */
  readonly change?: Readonly<Record<string, unknown>>;
  /** Identifies the stored profile texts that the question showed, which must be the same when the change is sent. */
  readonly shown?: string;
}

/** An act that has not been sent yet. */
export interface Plan {
  /** If empty, the act needs no confirmation. */
  readonly classes: readonly ActClass[];
  readonly facts: Facts;
  /** The text for the person: an explanation, and as JSON everything that becomes public or binding. Undefined if it cannot be complete. */
  readonly question: string | undefined;
  /** When the act becomes impossible, if known: its approval expires then. */
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

  /** The members with these names that are present. */
  pick(...names: readonly string[]): Record<string, unknown> {
    return Object.fromEntries(names.flatMap((name) => (name in this.#values ? [[name, this.#values[name]]] : [])));
  }

  toJSON(): Readonly<Record<string, unknown>> {
    return this.#values;
  }
}

/** The facts of an act without an order and a price. */
export function plainFacts(operationId: string, agentId: string | null = null): Facts {
  return { operation_id: operationId, order_id: null, version: null, total_minor: null, agent_id: agentId };
}
