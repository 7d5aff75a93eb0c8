// A separate entry point for servers of the API; clients do not need it. Compiling schemas takes start-up time.
export {
  applyPostChange,
  changesOf,
  findPostFault,
  isSameFileSet,
  mayReadPost,
  type PostContent,
  type PostFault,
  type PublicationContext,
  stateOf,
  withPostDefaults,
} from './post-rules.ts';
export { InvalidRequestError, type ValidationDetail } from './request/invalid-request.ts';
export { describeDetail, prepareValidation, prepareValueCheck, type RequestValidator } from './request/validate.ts';
