import { readdirSync } from 'node:fs';
import { type FaultFunctions, parseFaults, type ValueFunctions } from './fault-language.ts';
import { type FaultyBuild, parseBuildTable } from './faulty-build.ts';
import type { FrameFault, ProxiedReply, ProxiedRequest } from './passing.ts';
import type { Mutant } from './start-faulty.ts';

/** A faulty server that names the violated rule, not the checks that detect it; `file` is its source file. */
export type CatalogueMutant = Mutant & { readonly violates: string; readonly file?: string };

/** The functions for `= name` and `map MEMBER name` in a table. */
interface Vocabulary {
  readonly faults?: FaultFunctions;
  readonly values?: ValueFunctions;
  readonly builds?: Readonly<Record<string, FaultyBuild | (() => FaultyBuild)>>;
}

/** Parses a table of faulty servers, one per line: `name | sentence | rule`. `catalogue/README.md` explains it. */
export function parseCatalogueTable(table: string, vocabulary: Vocabulary = {}): readonly CatalogueMutant[] {
  const { faults = {}, values = {}, builds = {} } = vocabulary;
  const lines = table.split('\n').filter((line) => line.trim() !== '');
  return lines.flatMap((line): readonly CatalogueMutant[] => {
    const [name = '', violates = '', ...rest] = line.split(' | ').map((part) => part.trim());
    if (violates === '' || rest.length === 0) throw new Error(`This line is not "name | sentence | rule": ${line}`);
    const rule = rest.join(' | ');
    const row = `${name} |  | ${rule}`;
    const isBuild = /^\w+ \w+ on \w+ \| |^[A-Z_]+=/.test(rule) || Object.hasOwn(builds, rule.replace('= ', ''));
    const made: readonly Mutant[] = isBuild ? parseBuildTable('', row, builds) : parseFaults('', row, values, faults);
    return made.map((mutant) => ({ ...mutant, violates }));
  });
}

export async function readCatalogue(
  folder = new URL('mutants/catalogue/', import.meta.url),
): Promise<readonly CatalogueMutant[]> {
  const names = readdirSync(folder, { recursive: true }).map(String);
  const lists = names
    .filter((name) => name.endsWith('.ts'))
    .toSorted()
    .map(async (name) => {
      const { default: list }: { default?: readonly CatalogueMutant[] } = await import(new URL(name, folder).href);
      if (!Array.isArray(list)) throw new Error(`${name} has no list of mutants as its default export.`);
      return (list as readonly CatalogueMutant[]).map((mutant) => ({ ...mutant, file: name }));
    });
  return (await Promise.all(lists)).flat();
}

/** Makes a mutant count the requests, answers and frames that it changes; for a build, the count is undefined. */
export function withChangeCounter<M extends Mutant>(
  mutant: M,
): { readonly mutant: Mutant; readonly changes: () => number | undefined } {
  if (!('fault' in mutant)) return { mutant, changes: () => undefined };
  let changes = 0;
  const note = <T>(before: unknown, after: T): T => {
    if (JSON.stringify(before) !== JSON.stringify(after)) changes += 1;
    return after;
  };
  const fault = () => {
    const { onRequest, onReply, frames } = mutant.fault();
    return {
      onRequest: (request: ProxiedRequest) => note(request, onRequest?.(request) ?? request),
      onReply: (reply: ProxiedReply, request: ProxiedRequest) => note(reply, onReply?.(reply, request) ?? reply),
      ...(frames === undefined ? {} : { frames: countFrames(frames, note) }),
    };
  };
  return { mutant: { ...mutant, fault }, changes: () => changes };
}

function countFrames(fault: FrameFault, note: <T>(before: unknown, after: T) => T): FrameFault {
  const { onUpgrade, onEvent, onAck, onClose } = fault;
  return {
    ...fault,
    ...(onUpgrade && { onUpgrade: (upgrade, open) => note(upgrade, onUpgrade(upgrade, open)) }),
    ...(onEvent && { onEvent: (frame, link) => note([frame], onEvent(frame, link)) }),
    ...(onAck && { onAck: (frame, link) => note([frame], onAck(frame, link)) }),
    ...(onClose && { onClose: (code) => note(code, onClose(code)) }),
  };
}
