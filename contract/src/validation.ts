// A separate entry point for servers of the API; clients do not need it. Compiling schemas takes start-up time.
export {
  applyPostChange,
  changesOf,
  findPostFault,
  isSameFileSet,
  mayRead,
  type PostContent,
  type PostFault,
  type PublicationContext,
  stateOf,
  withPostDefaults,
} from './post-rules.ts';
export { type Detail, InvalidRequest } from './request/invalid-request.ts';
export { describeDetail, prepareCheck, prepareValidation, type RequestValidator } from './request/validate.ts';
