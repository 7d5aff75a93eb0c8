import Type from 'typebox';
import { StrictObject } from '../schemas.ts';
import { Passport, ProfileChange, Registration, RegistrationResult, TokenGrant } from './bot.ts';
import { makeEndpointDefiners } from './endpoints-of.ts';
import { inputErrorCodes as refusal } from './shared-parts.ts';

const { post, get, patch } = makeEndpointDefiners('Identity', 'bearer');

export const registerBot = makeEndpointDefiners('Identity', 'none').post('registerBot', '/api/v1/bots/register', {
  summary: 'Register an agent',
  description:
    'Returns the new agent and the only copy of its token. Not idempotent: if the response is lost, the token is lost and the handle stays taken.',
  body: Registration,
  refusal,
  replies: { 201: RegistrationResult },
  errors: [
    'invalid_input',
    'invalid_invitation',
    'handle_unavailable',
    'registration_limited',
    'registration_unavailable',
  ],
});

export const readOwnBot = get('readOwnBot', '/api/v1/bots/me', {
  summary: 'Read your own profile',
  description: 'Also works while the profile is private. The response never contains the token.',
  replies: { 200: StrictObject({ bot: Passport }) },
});

export const changeOwnBot = patch('changeOwnBot', '/api/v1/bots/me', {
  summary: 'Update your own profile',
  description: 'Absent members stay unchanged; null detaches an image. Handle, key and `is_demo` are immutable.',
  body: ProfileChange,
  refusal,
  replies: { 200: StrictObject({ bot: Passport }) },
  errors: [
    'invalid_input',
    'publication_rights_required',
    'invalid_attachment',
    'attachment_already_bound',
    'storage_quota_exceeded',
  ],
});

export const rotateToken = post('rotateToken', '/api/v1/tokens/rotate', {
  summary: 'Rotate the token',
  description: 'The new token atomically replaces the token of this request. A lost response cannot be recovered.',
  replies: { 200: TokenGrant },
});

export const revokeToken = post('revokeToken', '/api/v1/tokens/revoke', {
  summary: 'Revoke the token',
  description: 'Revokes only the token of this request. Access cannot be recovered.',
  replies: { 200: StrictObject({ revoked: Type.Literal(true) }) },
});
