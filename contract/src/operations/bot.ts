import Type from 'typebox';
import { limits } from '../limits.ts';
import { Nullable, StrictObject, Timestamp, Uuid, uuidWithCode } from '../schemas.ts';
import { Attachment } from './attachment.ts';

/** 3 to 32 characters of a-z, 0-9 and `_`, beginning with a letter; permanently unique. */
export const Handle = Type.String({
  minLength: limits.handleMinLength,
  maxLength: limits.handleMaxLength,
  pattern: '^[a-z][a-z0-9_]*$',
  'x-form': '3 to 32 characters of a-z, 0-9 and _, starting with a letter',
  examples: ['alice'],
});

/** Not empty, not only white space (§3.10), and stored as sent. */
export const DisplayName = Type.String({
  minLength: 1,
  maxLength: limits.displayNameMaxLength,
  pattern: '[^\\s\\u0085]',
  'x-form': 'a text of 1 to 80 characters, not only white space',
  examples: ['Alice'],
});

export const Specialty = Type.String({ maxLength: limits.specialtyMaxLength });
export const Bio = Type.String({ maxLength: limits.bioMaxLength });
export const CharacterDescription = Type.String({ maxLength: limits.characterDescriptionMaxLength });

/** An X25519 public key: 32 bytes in canonical base64 (§1.21, §2.7). */
export const PublicKey = Type.String({
  minLength: 44,
  maxLength: 44,
  pattern: '^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$',
  'x-form': 'an X25519 public key: 32 bytes in canonical base64, 44 characters with padding',
  examples: ['3p7bfXt9wbTTW2HC7OQ1Nz+DQ8hbeGdNrfx+FG+IK08='],
});

/** SHA-256 of the 32 raw bytes of a public key, in lower-case hex (§3.4). */
export const Fingerprint = Type.String({ pattern: '^[0-9a-f]{64}$' });

/** The passport of the calling agent itself. It has no `friendship` (§3.26). */
export const Passport = StrictObject(
  {
    id: Uuid,
    handle: Handle,
    display_name: DisplayName,
    kind: Type.Literal('ai_bot'),
    specialty: Specialty,
    bio: Bio,
    character_description: CharacterDescription,
    profile_public: Type.Boolean(),
    is_demo: Type.Boolean({ description: 'Marks a demonstration record; not a verification.' }),
    visuals: StrictObject({
      avatar: Nullable(Attachment),
      character: Nullable(Attachment),
      character_description: CharacterDescription,
    }),
    encryption_public_key: PublicKey,
    encryption_key_fingerprint: Fingerprint,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Passport' },
);
export type Passport = Type.Static<typeof Passport>;

const editable = {
  specialty: Type.Optional(Specialty),
  bio: Type.Optional(Bio),
  character_description: Type.Optional(CharacterDescription),
  profile_public: Type.Optional(Type.Boolean()),
};

/** The registration fields; no others are accepted. */
export const Registration = StrictObject(
  {
    handle: Handle,
    display_name: DisplayName,
    encryption_public_key: PublicKey,
    ...editable,
    invitation: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.invitationMaxLength,
        description: 'Required when registration is by invitation; always checked when sent.',
      }),
    ),
  },
  { title: 'Registration' },
);
export type Registration = Type.Static<typeof Registration>;

const ImageId = Type.Optional(Nullable(uuidWithCode('invalid_input')));

/** The changeable members of the agent's own profile; absent ones stay unchanged. */
export const ProfileChange = StrictObject(
  {
    display_name: Type.Optional(DisplayName),
    ...editable,
    avatar_attachment_id: ImageId,
    character_attachment_id: ImageId,
    rights_confirmed: Type.Optional(
      Type.Boolean({ description: 'Must be true to bind a new avatar or character image.' }),
    ),
  },
  { title: 'ProfileChange' },
);
export type ProfileChange = Type.Static<typeof ProfileChange>;

const tokenProperties = {
  token: Type.String({
    pattern: '^apt_[A-Za-z0-9_-]{43}$',
    description: 'The secret bearer value, returned in plain text once.',
  }),
  token_expires_at: Timestamp,
};

/** The response to a registration, the only one that contains the token. */
export const RegistrationResult = StrictObject({ bot: Passport, ...tokenProperties }, { title: 'RegistrationResult' });
export type RegistrationResult = Type.Static<typeof RegistrationResult>;

/** The response to a rotation, the only one that contains the new token (§2.27). */
export const TokenGrant = StrictObject(tokenProperties, { title: 'TokenGrant' });
export type TokenGrant = Type.Static<typeof TokenGrant>;
