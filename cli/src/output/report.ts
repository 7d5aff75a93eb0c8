import type { Failure, FailureReport } from '../errors/failure.ts';
import type { Io } from '../io/io.ts';
import { layOutCard } from './card.ts';
import { openPage, type Page } from './page.ts';
import { namesOf, selectFields } from './select-fields.ts';
import { toVisibleJson, toVisibleLine } from './visible-text.ts';

/** What a verb has to say: data for programs, and how a person sees it. */
export interface DataReport {
  readonly kind: 'data';
  readonly data: Readonly<Record<string, unknown>>;
  readonly show: (page: Page) => string;
  /** Hints for a person, printed on stderr; programs do not get them. */
  readonly notes?: readonly string[];
  /** The work was done and its result is a failure: `doctor` found a fault. */
  readonly failure?: Failure;
}

/** A text that is the same for everybody: a script, which programs read as it is. */
export interface TextReport {
  readonly kind: 'text';
  readonly text: string;
}

/** Something that comes bit by bit, such as events: one line of JSON each for programs, a text each for people. */
export interface StreamReport {
  readonly kind: 'stream';
  readonly items: AsyncIterable<StreamItem>;
}

/** One bit of it. Where `show` gives nothing, a person is shown nothing. */
export interface StreamItem {
  readonly data: Readonly<Record<string, unknown>>;
  readonly show: (page: Page) => string;
}

export type Report = DataReport | TextReport | StreamReport;

type Form = 'json' | 'text';

/** The options that decide how a report is printed. */
export interface OutputOptions {
  /** `auto` is text on a terminal and JSON elsewhere. */
  readonly form: 'auto' | 'json' | 'text';
  /** Fields of the data to print, as dotted paths; undefined prints all. */
  readonly fields: readonly string[] | undefined;
  readonly color: boolean;
}

/** Prints what comes, each as it comes, on stdout; ends when there is no more of it. */
export async function printStream({ items }: StreamReport, io: Io, options: OutputOptions): Promise<void> {
  const isForPrograms = chooseForm(io, options) === 'json';
  const page = openPage(io, 'stdout', options);
  for await (const { data, show } of items) {
    const shown = options.fields === undefined ? data : selectFields(data, options.fields).data;
    if (isForPrograms) io.stdout.write(`${toVisibleJson(shown)}\n`);
    else io.stdout.write(options.fields === undefined ? show(page) : showFields(shown, options.fields, page));
  }
  io.signal.throwIfAborted();
}

/** Prints what a verb has to say, on stdout. */
export function printReport(report: DataReport | TextReport, io: Io, options: OutputOptions): void {
  if (report.kind === 'text') {
    io.stdout.write(options.form === 'json' ? toEnvelope(io, { ok: true, data: { text: report.text } }) : report.text);
    return;
  }
  const { data, missing } =
    options.fields === undefined ? { data: report.data, missing: [] } : selectFields(report.data, options.fields);
  if (missing.length > 0) warnOfMissing(missing, report.data, io);
  if (chooseForm(io, options) === 'json') {
    const { failure } = report;
    io.stdout.write(toEnvelope(io, failure ? { ok: false, error: failure.report, data } : { ok: true, data }));
    return;
  }
  const page = openPage(io, 'stdout', options);
  io.stdout.write(options.fields === undefined ? report.show(page) : showFields(data, options.fields, page));
  for (const note of report.notes ?? []) io.stderr.write(`${toVisibleLine(note)}\n`);
  if (report.failure !== undefined) printForPeople(report.failure.report, io, options);
}

/**
 * Prints a failure: for programs as the one envelope on stdout, for people on
 * stderr. A person who pipes into a program sees both, each where it belongs.
 */
export function printFailure(failure: Failure, io: Io, options: OutputOptions): void {
  const form = chooseForm(io, options);
  if (form === 'json') io.stdout.write(toEnvelope(io, { ok: false, error: failure.report }));
  if (form === 'text' || (io.stderr.isTerminal && !io.stdout.isTerminal)) printForPeople(failure.report, io, options);
}

function chooseForm(io: Io, { form }: OutputOptions): Form {
  if (form !== 'auto') return form;
  return io.stdout.isTerminal ? 'text' : 'json';
}

function toEnvelope(io: Io, envelope: object): string {
  return `${toVisibleJson(envelope, io.stdout.isTerminal ? 2 : undefined)}\n`;
}

function printForPeople(report: FailureReport, io: Io, options: OutputOptions): void {
  const page = openPage(io, 'stderr', options);
  const marks = [
    report.status === undefined ? report.code : `${report.status} ${report.code}`,
    ...(report.request_id === undefined ? [] : [`request ${report.request_id}`]),
    ...(report.retry_after_seconds === undefined ? [] : [`retry after ${report.retry_after_seconds} s`]),
  ];
  const lines = [
    `${page.paint('red', 'agentp:')} ${toVisibleLine(report.message)} ${page.paint('dim', `(${marks.map(toVisibleLine).join(', ')})`)}`,
    ...(report.details ?? []).map((detail) => `  ${toVisibleLine(describeDetail(detail))}`),
    ...(report.cure === undefined ? [] : [`  ${toVisibleLine(report.cure)}`]),
  ];
  io.stderr.write(`${lines.join('\n')}\n`);
}

function describeDetail(detail: unknown): string {
  const isDetail = typeof detail === 'object' && detail !== null && 'path' in detail && 'message' in detail;
  return isDetail ? `${detail.path}: ${detail.message}` : JSON.stringify(detail);
}

function warnOfMissing(missing: readonly string[], data: DataReport['data'], io: Io): void {
  // Not a failure: the work is done, and names that are never there were refused before it.
  const names = namesOf(data).join(', ');
  io.stderr.write(`agentp: there is no ${missing.map(toVisibleLine).join(', ')} in the data; there is ${names}.\n`);
}

// One value is printed bare, so that a shell can take it as it is.
function showFields(data: DataReport['data'], fields: readonly string[], page: Page): string {
  const values = fields.map((field) => [field, readPath(data, field.split('.'))] as const);
  const [first] = values;
  if (values.length === 1 && first !== undefined) return `${toVisibleLine(showValue(first[1]))}\n`;
  return layOutCard({ heading: '', rows: values.map(([field, value]) => [field, showValue(value)]) }, page).slice(1);
}

function readPath(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (Array.isArray(value)) return value.map((entry) => readPath(entry, [name, ...rest]));
  const record = typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : new Map();
  return readPath(record.get(name), rest);
}

function showValue(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : toVisibleJson(value);
}
