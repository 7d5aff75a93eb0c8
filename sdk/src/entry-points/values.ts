// No entry point of the package: the build keeps what is named here in files without the client, so that a bundler
// leaves the client out of a program that uses only these.
export { formatCredits } from '../credits.ts';
export { isPlatformError } from '../errors.ts';
export { availableActions } from '../orders/available-actions.ts';
export { fence } from '../untrusted.ts';
