import { type FaultCode, faults } from '../verdict.ts';
import type { PdfDictionary, PdfValue } from './pdf-lexer.ts';
import type { PdfObjects } from './pdf-objects.ts';

// The presence of these keys is enough, whatever their value and whether or not they are referenced.
const forbiddenKeys = faultsByName({
  encrypted: ['Encrypt'],
  active: ['JS', 'JavaScript', 'XFA', 'NeedsRendering', 'Renditions', 'RichMediaContent', 'RichMediaSettings'],
  embedded: ['EmbeddedFiles', 'EF', 'Collection'],
});

// Values of `S`, `Type` and `Subtype`: actions, objects and annotations that act or contain other files.
const forbiddenNames = faultsByName({
  active: [
    ...['JavaScript', 'Launch', 'SubmitForm', 'ResetForm', 'ImportData', 'Rendition', 'Sound', 'Movie', 'Screen'],
    ...['3D', 'GoTo3DView', 'RichMedia', 'RichMediaExecute'],
  ],
  external: ['GoToR'],
  embedded: ['GoToE', 'EmbeddedFile', 'FileAttachment', 'Collection'],
});

function faultsByName(names: Partial<Record<FaultCode, readonly string[]>>): ReadonlyMap<string, FaultCode> {
  return new Map(faults.flatMap((fault) => (names[fault] ?? []).map((name) => [name, fault] as const)));
}

// The permitted actions of a widget: those of a plain link.
const linkActions = new Set(['GoTo', 'URI', 'Named']);

/**
 * Finds the reason why a PDF is not static (D-39). It checks every dictionary of
 * the file, so that neither indirect objects nor objects that only some readers
 * find can hide one.
 */
export function findPolicyFault(objects: PdfObjects): FaultCode | undefined {
  for (const { value, isStream } of objects.all) {
    // A stream with a file specification takes its content from that file.
    if (isStream && (hasKey(value, 'F') || hasKey(value, 'FFilter'))) return 'external';
    // Of a name that stands alone only the cross-references tell what refers to it.
    const named = findForbidden([value]);
    if (named !== undefined) return named;
    for (const dictionary of dictionariesIn(value)) {
      const fault = judge(dictionary, objects);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

/** Every dictionary inside a value, the value itself included. */
function* dictionariesIn(value: PdfValue): Generator<PdfDictionary> {
  if (value.kind === 'array') for (const item of value.items) yield* dictionariesIn(item);
  if (value.kind !== 'dictionary') return;
  yield value;
  for (const [, member] of value.entries) yield* dictionariesIn(member);
}

function judge(dictionary: PdfDictionary, objects: PdfObjects): FaultCode | undefined {
  for (const [key, value] of dictionary.entries) {
    const forbidden = forbiddenKeys.get(key);
    if (forbidden !== undefined && !isNull(value)) return forbidden;
    const fault = judgeMember(key, value, dictionary, objects);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function judgeMember(key: string, value: PdfValue, owner: PdfDictionary, objects: PdfObjects): FaultCode | undefined {
  switch (key) {
    case 'S':
      if (namesOf(objects.resolve(value)).includes('Thread') && hasKey(owner, 'F')) return 'external';
      return findForbidden(objects.resolve(value));
    case 'Type':
    case 'Subtype':
      return findForbidden(objects.resolve(value));
    case 'FS':
      return namesOf(objects.resolve(value)).includes('URL') ? 'external' : undefined;
    // Additional actions start without a click, for example when a page is shown.
    case 'AA':
      return objects.resolve(value).some(hasMembers) ? 'active' : undefined;
    case 'OpenAction':
      return objects.resolve(value).some((action) => startsMoreThanView(action, objects)) ? 'active' : undefined;
    case 'A':
      return isWidget(owner, objects) && objects.resolve(value).some((action) => !isLink(action, objects))
        ? 'active'
        : undefined;
    // A reference to a page of another file.
    case 'Ref':
      return objects.resolve(value).some((target) => hasKey(target, 'F')) ? 'external' : undefined;
    default:
      return undefined;
  }
}

// On opening a file may choose the page that is shown, and nothing else: not
// even an address that would be harmless behind a click.
function startsMoreThanView(action: PdfValue, objects: PdfObjects): boolean {
  if (action.kind !== 'dictionary') return false;
  const names = namesOf(objects.resolveMember(action, 'S'));
  return hasKey(action, 'Next') || names.length === 0 || names.some((name) => name !== 'GoTo');
}

function isWidget(owner: PdfDictionary, objects: PdfObjects): boolean {
  return hasKey(owner, 'FT') || namesOf(objects.resolveMember(owner, 'Subtype')).includes('Widget');
}

function isLink(action: PdfValue, objects: PdfObjects): boolean {
  if (action.kind !== 'dictionary') return true;
  return namesOf(objects.resolveMember(action, 'S')).every((name) => linkActions.has(name));
}

function namesOf(values: readonly PdfValue[]): string[] {
  return values.flatMap((value) => (value.kind === 'name' ? [value.name] : []));
}

function hasKey(value: PdfValue, key: string): boolean {
  return value.kind === 'dictionary' && value.entries.some(([name]) => name === key);
}

function hasMembers(value: PdfValue): boolean {
  return value.kind === 'dictionary' && value.entries.length > 0;
}

function isNull(value: PdfValue): boolean {
  return value.kind === 'word' && value.word === 'null';
}

function findForbidden(values: readonly PdfValue[]): FaultCode | undefined {
  const forbidden = namesOf(values).find((name) => forbiddenNames.has(name));
  return forbidden === undefined ? undefined : forbiddenNames.get(forbidden);
}
