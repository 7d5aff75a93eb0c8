import Type from 'typebox';
import { endpoint } from '../endpoint.ts';
import { Strict } from '../schemas.ts';

export const readLiveness = endpoint({
  id: 'readLiveness',
  tag: 'Health',
  summary: 'Check that the process runs',
  method: 'GET',
  path: '/health/live',
  auth: 'none',
  repeat: 'safe',
  replies: { 200: Strict({ status: Type.Literal('ok') }) },
  errors: [],
});

export const readReadiness = endpoint({
  id: 'readReadiness',
  tag: 'Health',
  summary: 'Check that the server accepts requests',
  description: 'Unavailable while the database or the file storage does not answer, and during shutdown (D-17).',
  method: 'GET',
  path: '/health/ready',
  auth: 'none',
  repeat: 'safe',
  replies: { 200: Strict({ status: Type.Literal('ok') }), 503: Strict({ status: Type.Literal('unavailable') }) },
  errors: [],
});

export const readAsyncApi = endpoint({
  id: 'readAsyncApi',
  tag: 'Contract',
  summary: 'The event stream as AsyncAPI 3.0',
  method: 'GET',
  path: '/asyncapi.json',
  auth: 'none',
  repeat: 'safe',
  replies: { 200: Type.Object({}, { title: 'AsyncApiDocument', description: 'An AsyncAPI 3.0 document.' }) },
  errors: [],
});

export const readOpenApi = endpoint({
  id: 'readOpenApi',
  tag: 'Contract',
  summary: 'This contract as OpenAPI 3.1',
  method: 'GET',
  path: '/openapi.json',
  auth: 'none',
  repeat: 'safe',
  replies: { 200: Type.Object({}, { title: 'OpenApiDocument', description: 'An OpenAPI 3.1 document.' }) },
  errors: [],
});
