import { type FileFaultCode, fileFaultCodes } from '../verdict.ts';
import { findDictionaryValues, type PdfDictionary, type PdfValue } from './pdf-lexer.ts';
import { isTrailer, type PdfObject, type PdfObjects } from './pdf-objects.ts';
import { findItemPlace, findMemberPlace, type PdfPlace } from './pdf-places.ts';

// These keys are forbidden, unless their value is empty.
const forbiddenKeys = faultsByName({
  encrypted: ['Encrypt'],
  active: ['JS', 'JavaScript', 'XFA', 'NeedsRendering', 'Renditions', 'RichMediaContent', 'RichMediaSettings'],
  embedded: ['EmbeddedFiles', 'EF', 'Collection'],
});

// Values of `S`, `Type` and `Subtype`: actions, objects and annotations that are active or contain other files.
const forbiddenNames = faultsByName({
  active: [
    'JavaScript',
    'Launch',
    'SubmitForm',
    'ResetForm',
    'ImportData',
    'Rendition',
    'Sound',
    'Movie',
    'Screen',
    '3D',
    'GoTo3DView',
    'RichMedia',
    'RichMediaExecute',
  ],
  external: ['GoToR'],
  embedded: ['GoToE', 'EmbeddedFile', 'FileAttachment', 'Collection'],
});

function faultsByName(names: Partial<Record<FileFaultCode, readonly string[]>>): ReadonlyMap<string, FileFaultCode> {
  return new Map(fileFaultCodes.flatMap((fault) => (names[fault] ?? []).map((name) => [name, fault] as const)));
}

// A widget may only have the actions of a plain link.
const linkActions = new Set(['GoTo', 'URI', 'Named']);

/**
 * Finds the reason why a PDF is not static (§5.18). Traverses the objects from the trailers, so that each dictionary is
 * judged by the places where it occurs. An unreferenced object counts as being in an unknown place.
 */
export function findPolicyFault(objects: PdfObjects): FileFaultCode | undefined {
  const visited = new Map<PdfObject['number'], Set<PdfPlace>>();
  const waiting: (readonly [value: PdfValue, place: PdfPlace])[] = [];
  const others = objects.all.filter((object) => !isTrailer(object));
  for (const object of [...objects.all.filter(isTrailer), ...others]) {
    // A stream with a file specification reads its content from that file.
    if (object.isStream && ['F', 'FFilter'].some((key) => hasContent(object.value, key, objects))) return 'external';
    if (visited.has(object.number)) continue;
    waiting.push([object.value, isTrailer(object) ? 'trailer' : 'unknown']);
    // An object that is only a name is also checked, because the objects that refer to it are not reliably known.
    const fault = findForbidden([object.value]) ?? traverse();
    if (fault !== undefined) return fault;
  }
  return undefined;

  function traverse(): FileFaultCode | undefined {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [value, place] = next;
      if (value.kind === 'reference') visit(value.number, place);
      if (value.kind === 'array') for (const item of value.items) waiting.push([item, findItemPlace(place)]);
      if (value.kind !== 'dictionary') continue;
      const fault = judge(value, place, objects);
      if (fault !== undefined) return fault;
      for (const [key, member] of value.entries) waiting.push([member, findMemberPlace(place, key)]);
    }
    return undefined;
  }

  /** Visits an object once for each kind of place where it occurs. */
  function visit(number: number, place: PdfPlace): void {
    const places = visited.get(number) ?? new Set();
    visited.set(number, places);
    if (places.has(place)) return;
    places.add(place);
    for (const { value, isStream } of objects.definitionsOf(number)) {
      // A stream is never a list of names, because its dictionary describes its content.
      waiting.push([value, isStream ? 'unknown' : place]);
    }
  }
}

function judge(dictionary: PdfDictionary, place: PdfPlace, objects: PdfObjects): FileFaultCode | undefined {
  if (place === 'named') return undefined;
  for (const [key, value] of dictionary.entries) {
    const forbidden = forbiddenKeys.get(key);
    if (forbidden !== undefined && !isEmpty(value, objects)) return forbidden;
    const fault = judgeMember(key, value, dictionary, objects);
    if (fault !== undefined && !(place === 'structure' && key === 'S')) return fault;
  }
  return undefined;
}

function judgeMember(
  key: string,
  value: PdfValue,
  owner: PdfDictionary,
  objects: PdfObjects,
): FileFaultCode | undefined {
  switch (key) {
    case 'S':
      if (namesOf(objects.resolve(value)).includes('Thread') && hasContent(owner, 'F', objects)) return 'external';
      return findForbidden(objects.resolve(value));
    case 'Type':
    case 'Subtype':
      return findForbidden(objects.resolve(value));
    case 'FS':
      return namesOf(objects.resolve(value)).includes('URL') ? 'external' : undefined;
    // Additional actions run without a click, for example when a page is shown.
    case 'AA':
      return objects.resolve(value).some((actions) => actions.kind === 'dictionary' && !isEmpty(actions, objects))
        ? 'active'
        : undefined;
    case 'OpenAction':
      return objects.resolve(value).some((action) => startsMoreThanView(action, objects)) ? 'active' : undefined;
    case 'A':
      return isWidget(owner, objects) && objects.resolve(value).some((action) => !isLink(action, objects))
        ? 'active'
        : undefined;
    // A reference to a page of another file.
    case 'Ref':
      return objects.resolve(value).some((target) => hasContent(target, 'F', objects)) ? 'external' : undefined;
    default:
      return undefined;
  }
}

// On opening, a file may only choose the page that is shown; even an address that would be harmless on a click is
// forbidden.
function startsMoreThanView(action: PdfValue, objects: PdfObjects): boolean {
  if (action.kind !== 'dictionary' || isEmpty(action, objects)) return false;
  const names = namesOf(objects.resolveMember(action, 'S'));
  return hasContent(action, 'Next', objects) || names.length === 0 || names.some((name) => name !== 'GoTo');
}

function isWidget(owner: PdfDictionary, objects: PdfObjects): boolean {
  return hasContent(owner, 'FT', objects) || namesOf(objects.resolveMember(owner, 'Subtype')).includes('Widget');
}

function isLink(action: PdfValue, objects: PdfObjects): boolean {
  if (action.kind !== 'dictionary') return true;
  return namesOf(objects.resolveMember(action, 'S')).every((name) => linkActions.has(name));
}

function namesOf(values: readonly PdfValue[]): string[] {
  return values.flatMap((value) => (value.kind === 'name' ? [value.name] : []));
}

function hasContent(value: PdfValue, key: string, objects: PdfObjects): boolean {
  return value.kind === 'dictionary' && findDictionaryValues(value, key).some((member) => !isEmpty(member, objects));
}

// No genuine name tree is this deep; a value that is nested deeper counts as content.
const emptyDepthMax = 16;

/** Whether a value is empty: absent, or a container of empty values, such as a name tree without names. */
function isEmpty(value: PdfValue, objects: PdfObjects, depth = 0): boolean {
  if (depth > emptyDepthMax) return false;
  if (value.kind === 'word') return value.word === 'null' || value.word === 'false';
  if (value.kind === 'reference') {
    const definitions = objects.definitionsOf(value.number);
    return definitions.every((each) => !each.isStream && isEmpty(each.value, objects, depth + 1));
  }
  if (value.kind === 'array') return value.items.every((item) => isEmpty(item, objects, depth + 1));
  if (value.kind !== 'dictionary') return false;
  return value.entries.every(([key, member]) => key === 'Limits' || isEmpty(member, objects, depth + 1));
}

function findForbidden(values: readonly PdfValue[]): FileFaultCode | undefined {
  const forbidden = namesOf(values).find((name) => forbiddenNames.has(name));
  return forbidden === undefined ? undefined : forbiddenNames.get(forbidden);
}
