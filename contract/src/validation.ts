// Apart from the front door: compiling schemas costs a client that never validates its start-up time.
export { type Detail, InvalidRequest } from './request/invalid-request.ts';
export { prepareValidation, type Validation } from './request/validate.ts';
