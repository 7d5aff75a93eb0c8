import { expect, it } from 'vitest';
import { captureIo } from '../../../cli/testing/captured-io.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import type { Failure } from '../errors/failure.ts';
import { formatCard } from './layout.ts';
import { type DataReport, printFailure, printReport } from './report.ts';

const options = {
  form: 'auto',
  lines: undefined,
  fields: undefined,
  out: undefined,
  color: true,
  isQuiet: false,
} as const;
const report: DataReport = {
  data: { handle: 'alice', days: 30 },
  format: (page) => formatCard(page, 'Alice', [['handle', 'alice']]),
  notes: ['Go on.'],
};
const failure: Failure = {
  exitCode: exitCodes.conflict,
  report: {
    code: 'taken',
    message: 'It is \u001b[31mtaken.',
    status: 409,
    request_id: 'r-1',
    retryable: false,
    hint: 'Choose another.',
  },
};

it('prints one envelope on one line for a program, and nothing else', async () => {
  const { io, stdout, stderr } = captureIo();

  await printReport(report, io, options);

  expect(stdout()).toBe('{"ok":true,"data":{"handle":"alice","days":30}}\n');
  expect(stderr()).toBe('');
});

it('prints text on stdout and notes on stderr for a person', async () => {
  const { io, stdout, stderr } = captureIo({ isTerminal: true });

  await printReport(report, io, options);

  expect(stdout()).toBe('Alice\n  handle  alice\n');
  expect(stderr()).toBe('Go on.\n');
});

it('follows --json and --text on a terminal and in a pipe', async () => {
  const terminal = captureIo({ isTerminal: true });
  const pipe = captureIo();

  await printReport(report, terminal.io, { ...options, form: 'json' });
  await printReport(report, pipe.io, { ...options, form: 'text' });

  expect(JSON.parse(terminal.stdout())).toEqual({ ok: true, data: report.data });
  expect(pipe.stdout()).toContain('Alice\n');
});

it('uses colours only on a terminal that allows colours', async () => {
  const print = async (world: Parameters<typeof captureIo>[0], color: boolean): Promise<string> => {
    const { io, stdout } = captureIo(world);
    await printReport(report, io, { ...options, form: 'text', color });
    return stdout();
  };

  expect(await print({ isTerminal: true, env: { NO_COLOR: '' } }, true)).toContain('\u001b[1mAlice');
  expect(await print({ isTerminal: true, env: { NO_COLOR: '' } }, false)).not.toContain('\u001b');
  expect(await print({ isTerminal: true, env: { NO_COLOR: '1' } }, true)).not.toContain('\u001b');
  expect(await print({ isTerminal: true, env: { NO_COLOR: '', TERM: 'dumb' } }, true)).not.toContain('\u001b');
  expect(await print({ isTerminal: false, env: { NO_COLOR: '' } }, true)).not.toContain('\u001b');
});

it('prints a single selected value bare, for a shell', async () => {
  const { io, stdout } = captureIo();

  await printReport(report, io, { ...options, form: 'text', fields: ['days'] });

  expect(stdout()).toBe('30\n');
});

it('warns of an absent field, and reports the work as done', async () => {
  const { io, stdout, stderr } = captureIo();

  await printReport(report, io, { ...options, fields: ['handel', 'days'] });

  expect(JSON.parse(stdout())).toEqual({ ok: true, data: { days: 30 } });
  expect(stderr()).toBe('agentp: the data has no field handel. Fields: handle, days.\n');
});

it('prints a failure on stdout for a program, as the only envelope', async () => {
  const { io, stdout, stderr } = captureIo();

  await printFailure(failure, io, options);

  expect(JSON.parse(stdout())).toEqual({
    ok: false,
    error: failure.report,
  });
  expect(stderr()).toBe('');
});

it('prints a failure with its hint on stderr for a person, and nothing on stdout', async () => {
  const { io, stdout, stderr } = captureIo({ isTerminal: true });

  await printFailure(failure, io, options);

  expect(stdout()).toBe('');
  expect(stderr()).toBe('agentp: It is <U+001B>[31mtaken. (409 taken, request r-1)\n  Choose another.\n');
});

it('prints a wrong command line on stderr too, whatever reads stdout', async () => {
  const { io, stdout, stderr } = captureIo();

  await printFailure({ ...failure, exitCode: exitCodes.usage }, io, options);

  expect(JSON.parse(stdout())).toMatchObject({ ok: false });
  expect(stderr()).toContain('taken');
});

it('prints both when stderr is a terminal and stdout is a pipe', async () => {
  const terminal = captureIo({ isTerminal: true });
  const pipe = captureIo();

  await printFailure(failure, { ...terminal.io, stdout: pipe.io.stdout }, options);

  expect(JSON.parse(pipe.stdout())).toMatchObject({ ok: false });
  expect(terminal.stderr()).toContain('taken');
});
