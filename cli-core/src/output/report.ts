import { exitCodes } from '../errors/exit-codes.ts';
import type { Failure, FailureReport } from '../errors/failure.ts';
import type { Io } from '../io/io.ts';
import type { DataSchema } from '../surface/data-schema.ts';
import { surface } from '../surface/surface.ts';
import { formatIds } from './ids.ts';
import { formatCard, makeTextLayout, type TextLayout } from './layout.ts';
import { selectFields, valueAtPath } from './select-fields.ts';
import { findUntrustedTexts } from './untrusted.ts';
import { toVisibleJson, toVisibleLine, toVisibleLines } from './visible-text.ts';

/** The result of a command: data for programs, and its format for people. */
export interface DataReport {
  readonly data: Readonly<Record<string, unknown>>;
  readonly format: (page: TextLayout) => string;
  /** Next steps for people, printed on stderr unless the output is for programs. */
  readonly notes?: readonly string[];
  /** Set if the work was done, but its result is a failure; for example, a check of `doctor` failed. */
  readonly failure?: Failure | undefined;
}

/** A text that is printed unchanged for people and programs, such as a script. */
export interface TextReport {
  readonly text: string;
}

/** Items that arrive over time, such as events. Each is printed as a line of JSON, or as text for people. */
export interface StreamReport {
  readonly items: AsyncIterable<StreamItem>;
  /** An interruption is the normal end, not a failure. */
  readonly endsByInterruption?: true;
}

/** An empty text prints nothing for people. */
export type StreamItem = Pick<DataReport, 'data' | 'format'>;

export type Report = DataReport | TextReport | StreamReport;

export interface OutputOptions {
  /** `auto` means text on a terminal and JSON elsewhere. */
  readonly form: 'auto' | 'json' | 'text';
  /** If set, only ids are printed, one per line; failures are then text on stderr. */
  readonly lines: IdSelection | undefined;
  /** Fields of the data to print, as dotted paths; undefined prints all. */
  readonly fields: readonly string[] | undefined;
  /** The schema of the data, which marks the texts of other agents. */
  readonly out: DataSchema | undefined;
  readonly color: boolean;
  /** Whether notes and warnings on stderr are omitted. */
  readonly isQuiet: boolean;
}

/** The path to the ids in the data, for `--ids-only`. */
interface IdSelection {
  readonly path: readonly string[];
}

/** Prints the items of a stream on stdout as they arrive, until the reader closes it. */
export async function printStream(report: StreamReport, io: Io, options: OutputOptions): Promise<void> {
  const { items, endsByInterruption } = report;
  const form = chooseForm(io, options);
  const page = makeTextLayout(io, 'stdout', options);
  for await (const { data, format } of items) {
    const selected = options.fields === undefined ? data : selectFields(data, options.fields).data;
    if (form === 'lines') printLines(selected, io, options);
    else if (form === 'json')
      io.stdout.write(`${toVisibleJson({ ...selected, ...markTexts(selected, options, '') })}\n`);
    else io.stdout.write(options.fields === undefined ? format(page) : formatFields(page, selected, options.fields));
    // `false` means that the reader has closed stdout.
    if (!(await io.stdout.flush())) return;
  }
  if (!endsByInterruption) io.signal.throwIfAborted();
}

export async function printReport(report: DataReport | TextReport, io: Io, options: OutputOptions): Promise<void> {
  if ('text' in report) {
    io.stdout.write(options.form === 'json' ? toEnvelope(io, { ok: true, data: { text: report.text } }) : report.text);
    return;
  }
  const { data, missing } =
    options.fields === undefined ? { data: report.data, missing: [] } : selectFields(report.data, options.fields);
  if (missing.length > 0 && !options.isQuiet) warnOfMissing(missing, report.data, io);
  const { failure, notes = [] } = report;
  const form = chooseForm(io, options);
  if (form === 'lines') {
    printLines(data, io, options);
    if (failure !== undefined) printForPeople(failure.report, io, options);
    return;
  }
  if (form === 'json') {
    const error = failure?.report;
    const marks = markTexts(data, options, '/data');
    io.stdout.write(toEnvelope(io, error ? { ok: false, error, data, ...marks } : { ok: true, data, ...marks }));
    return;
  }
  const page = makeTextLayout(io, 'stdout', options);
  io.stdout.write(options.fields === undefined ? report.format(page) : formatFields(page, data, options.fields));
  for (const note of options.isQuiet ? [] : notes) io.stderr.write(`${toVisibleLine(note)}\n`);
  if (failure !== undefined) printForPeople(failure.report, io, options);
}

/**
 * Prints a failure: as an envelope on stdout for programs, as text on stderr for people. Prints both if a user pipes
 * stdout into a program, if stdout cannot be written, and for a usage error, which the author of the command line reads
 * on the terminal or in a script's log.
 */
export async function printFailure(failure: Failure, io: Io, options: OutputOptions): Promise<void> {
  const form = chooseForm(io, options);
  if (form === 'json') io.stdout.write(toEnvelope(io, { ok: false, error: failure.report }));
  const isPrinted = await io.stdout.flush().catch(() => false);
  const isForBoth =
    failure.exitCode === exitCodes.usage || (io.stderr.isTerminal && !io.stdout.isTerminal) || !isPrinted;
  if (form !== 'json' || isForBoth) printForPeople(failure.report, io, options);
}

function printLines(data: DataReport['data'], io: Io, { lines }: OutputOptions): void {
  if (lines === undefined) return;
  const text = formatIds(data, lines.path);
  // A program receives the bytes of a text unchanged; a terminal would interpret control characters.
  io.stdout.write(io.stdout.isTerminal ? toVisibleLines(text).join('\n') : text);
}

function chooseForm(io: Io, { form, lines }: OutputOptions): 'json' | 'text' | 'lines' {
  if (lines !== undefined) return 'lines';
  if (form !== 'auto') return form;
  return io.stdout.isTerminal ? 'text' : 'json';
}

/** Lists the places of other agents' texts in the printed object, if there are any. */
function markTexts(data: DataReport['data'], { out }: OutputOptions, root: string) {
  const untrusted = out === undefined ? [] : findUntrustedTexts(data, out, surface.$defs, root);
  return untrusted.length === 0 ? {} : { untrusted };
}

function toEnvelope(io: Io, envelope: object): string {
  return `${toVisibleJson(envelope, io.stdout.isTerminal ? 2 : undefined)}\n`;
}

function printForPeople(report: FailureReport, io: Io, options: OutputOptions): void {
  const page = makeTextLayout(io, 'stderr', options);
  const marks = [
    report.status === undefined ? report.code : `${report.status} ${report.code}`,
    ...(report.request_id === undefined ? [] : [`request ${report.request_id}`]),
    ...(report.retry_after_seconds === undefined ? [] : [`retry after ${report.retry_after_seconds} s`]),
  ];
  const lines = [
    `${page.paint('red', 'agentp:')} ${toVisibleLine(report.message)} ${page.paint('dim', `(${marks.map(toVisibleLine).join(', ')})`)}`,
    ...(report.details ?? []).map((detail) => `  ${toVisibleLine(describeDetail(detail))}`),
    `  ${toVisibleLine(report.hint)}`,
  ];
  io.stderr.write(`${lines.join('\n')}\n`);
}

function describeDetail(detail: unknown): string {
  const isDetail = typeof detail === 'object' && detail !== null && 'path' in detail && 'message' in detail;
  return isDetail ? `${detail.path}: ${detail.message}` : JSON.stringify(detail);
}

function warnOfMissing(missing: readonly string[], data: DataReport['data'], io: Io): void {
  // This is not a failure: the work is done, and field names that never exist were refused before it started.
  const fields = `Fields: ${Object.keys(data).map(toVisibleLine).join(', ')}`;
  io.stderr.write(`agentp: the data has no field ${missing.map(toVisibleLine).join(', ')}. ${fields}.\n`);
}

// A single value is printed without its name, so that a shell can use it.
function formatFields(page: TextLayout, data: DataReport['data'], fields: readonly string[]): string {
  const values = fields.map((field) => [field, formatValue(valueAtPath(data, field.split('.')))] as const);
  const [first] = values;
  return values.length === 1 && first !== undefined ? `${toVisibleLine(first[1])}\n` : formatCard(page, '', values);
}

function formatValue(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : toVisibleJson(value);
}
