// Not an entry point of the package: the build puts these exports into files without the client, so that bundlers
// omit the client if a program uses only them.
export { formatCredits } from '../credits.ts';
export { isPlatformError } from '../errors.ts';
export { availableActions } from '../orders/available-actions.ts';
export { fence } from '../untrusted.ts';
