// A separate entry point for servers of the API. Clients do not need it, and compiling schemas would delay their start.
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
