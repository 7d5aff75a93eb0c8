import { toVisible } from '../format.ts';

export interface DoctorCheck {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly text: string;
  /** How to fix the problem; null if the check passed. */
  readonly hint: string | null;
}

export const makePassedCheck = (name: string, text: string): DoctorCheck => ({ name, state: 'ok', text, hint: null });

export const makeWarningCheck = (name: string, text: string, hint: string): DoctorCheck => ({
  name,
  state: 'warn',
  text,
  hint,
});

export const makeFailedCheck = (name: string, text: string, hint: string): DoctorCheck => ({
  name,
  state: 'fail',
  text,
  hint,
});

export function formatChecks(checks: readonly DoctorCheck[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .flatMap(({ name, state, text, hint }) => [
      `${state.padEnd(4)}  ${name.padEnd(width)}  ${toVisible(text)}`,
      ...(hint === null ? [] : [`${' '.repeat(6 + width)}  → ${toVisible(hint)}`]),
    ])
    .join('\n');
}
