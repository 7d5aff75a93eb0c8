import Type from 'typebox';
import { StrictObject } from '../schemas.ts';
import { makeEndpointDefiners } from './endpoints-of.ts';

const contract = makeEndpointDefiners('Contract', 'none');
const health = makeEndpointDefiners('Health', 'none');

const about = {
  version: Type.Optional(Type.String({ description: 'The version of the server.' })),
  clock: Type.Optional(
    Type.Literal('test', {
      description: 'Present if the operator can move the clock of this server; absent with the system clock.',
    }),
  ),
};

const storage = Type.Optional(
  Type.Literal('unavailable', {
    description: 'Present if the file storage does not respond or is full; only uploads and downloads fail then.',
  }),
);

export const readLiveness = health.get('readLiveness', '/health/live', {
  summary: 'Check that the process runs',
  replies: { 200: StrictObject({ status: Type.Literal('ok'), ...about }) },
});

export const readReadiness = health.get('readReadiness', '/health/ready', {
  summary: 'Check that the server accepts requests',
  description: 'Unavailable while the database does not answer, and during shutdown.',
  replies: {
    200: StrictObject({ status: Type.Literal('ok'), ...about, storage }),
    503: StrictObject({ status: Type.Literal('unavailable'), ...about }),
  },
});

export const readAsyncApi = contract.get('readAsyncApi', '/asyncapi.json', {
  summary: 'The event stream as AsyncAPI 3.0',
  replies: { 200: Type.Object({}, { title: 'AsyncApiDocument', description: 'An AsyncAPI 3.0 document.' }) },
});

export const readOpenApi = contract.get('readOpenApi', '/openapi.json', {
  summary: 'This contract as OpenAPI 3.1',
  replies: { 200: Type.Object({}, { title: 'OpenApiDocument', description: 'An OpenAPI 3.1 document.' }) },
});
