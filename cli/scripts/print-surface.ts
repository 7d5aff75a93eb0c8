import type { CommandDescription } from '@agent-platform/cli-core/command';
import { exitCodeMeanings, exitCodeOfStatus, exitCodes } from '@agent-platform/cli-core/errors/exit-codes';
import { declareGlobalOptions } from '@agent-platform/cli-core/options/global-options';
import type { DataSchema } from '@agent-platform/cli-core/surface/data-schema';
import { describeInput, type InputSchema } from '@agent-platform/cli-core/surface/input-schema';
import { type CommandSurface, findRecordSchemas, type Surface } from '@agent-platform/cli-core/surface/surface';
import {
  buildAsyncApi,
  buildOpenApi,
  type Endpoint,
  errorStatuses,
  errorsOf,
  operations,
} from '@agent-platform/contract';
import { catalogue, commands } from '../src/commands/catalogue.ts';

type Json = { readonly [name: string]: unknown };

const known: ReadonlyMap<string, Endpoint> = new Map(operations.map((operation) => [operation.id, operation]));

export function buildSurface(): Surface {
  const described = commands.map(describeCommand);
  return {
    program: 'agentp',
    exit_codes: exitCodeMeanings.map(([code, meaning]) => ({ code, meaning })),
    options: describeInput({ options: declareGlobalOptions() }),
    nouns: catalogue.flatMap((entry) => ('noun' in entry ? { noun: entry.noun, summary: entry.summary } : [])),
    commands: described,
    $defs: findRecordSchemas(described, readRecords()),
  };
}

function describeCommand(command: CommandDescription): CommandSurface {
  const { path, summary, description, effect, repeat, examples, prints = 'envelope', out } = command;
  const called = command.operations.map(findOperation);
  return {
    command: path.join(' '),
    summary,
    ...(description === undefined ? {} : { description }),
    effect,
    repeat,
    operations: command.operations,
    exit_codes: listExitCodes(command, called),
    examples,
    prints,
    in: addForms(describeInput(command), called),
    ...(out === undefined ? {} : { out }),
  };
}

function findOperation(id: string): Endpoint {
  const operation = known.get(id);
  if (operation === undefined) throw new Error(`The contract has no operation "${id}".`);
  return operation;
}

function listExitCodes({ exits, repeat }: CommandDescription, called: readonly Endpoint[]): readonly number[] {
  const mayBeUnknown = called.length > 0 && (repeat === 'with-key' || repeat === 'never');
  const ofOperations = called.flatMap((operation) => errorsOf(operation).map((code) => errorStatuses[code]));
  const codes = new Set<number>([
    exitCodes.ok,
    exitCodes.unexpected,
    exitCodes.usage,
    exitCodes.interrupted,
    ...(exits ?? ofOperations.map(exitCodeOfStatus)),
    ...(mayBeUnknown ? [exitCodes.outcomeUnknown] : []),
  ]);
  return [...codes].sort((one, other) => one - other);
}

/** Options with a different name in the contract. */
const contractNames: Readonly<Record<string, string>> = {
  search: 'q',
  'confirm-total-minor': 'confirmed_total_minor',
  'message-id': 'client_message_id',
};

/** Arguments and options whose values differ in form from the contract's member with the same name. */
const ownForms: ReadonlySet<string> = new Set(['deadline', 'file']);

const formKeywords = ['type', 'format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'enum'];

/** Adds the contract's schemas to the arguments and options that become request members. */
function addForms(input: InputSchema, called: readonly Endpoint[]): InputSchema {
  const members = new Map(called.toReversed().flatMap((operation) => Object.entries(membersOf(operation))));
  const properties = Object.entries(input.properties).map(([name, property]) => {
    const member = members.get(contractNames[name] ?? name.replaceAll('-', '_'));
    if (member === undefined || property.type !== 'string' || ownForms.has(name)) return [name, property];
    const form = Object.entries(member).filter(([keyword]) => formKeywords.includes(keyword));
    return [name, { ...property, ...Object.fromEntries(form) }];
  });
  return { ...input, properties: Object.fromEntries(properties) };
}

function membersOf({ params, query, body, form }: Endpoint): { readonly [name: string]: Json } {
  const [ofPath = {}, ...others]: readonly { readonly [name: string]: Json }[] = JSON.parse(
    JSON.stringify([params, query, body, form].map((schema) => schema?.properties ?? {})),
  );
  const [onlyId] = Object.values(ofPath);
  return Object.assign(onlyId === undefined ? {} : { id: onlyId }, ...others);
}

/** Record members that contain text written by agents. */
const writtenTexts: ReadonlySet<string> = new Set([
  ...['display_name', 'specialty', 'bio', 'character_description'],
  ...['title', 'text', 'description', 'result_text', 'reason', 'filename'],
]);

/** Marks texts that another agent may have written; the agent's own profile contains none. */
function markTexts(title: string, record: DataSchema): DataSchema {
  if (title === 'Passport' || record.properties === undefined) return record;
  const members = Object.entries(record.properties).map(([name, member]) => [
    name,
    writtenTexts.has(name) ? { ...member, 'x-untrusted': true } : member,
  ]);
  return { ...record, properties: Object.fromEntries(members) };
}

/** The records of the contract. They allow additional members, because a later server may add some. */
function readRecords(): Surface['$defs'] {
  const printed: readonly { readonly components: { readonly schemas: Json } }[] = JSON.parse(
    JSON.stringify([buildAsyncApi(), buildOpenApi()]).replaceAll('#/components/schemas/', '#/$defs/'),
    (key, value) => (key === 'additionalProperties' || key === 'x-refusal' || key === 'x-form' ? undefined : value),
  );
  const records: Surface['$defs'] = Object.assign({}, ...printed.map(({ components }) => components.schemas));
  const sorted = Object.entries(records).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([title, schema]) => [title, markTexts(title, schema)]));
}
