import type { OwnAttachment } from './attachment.ts';

/** The pictures of the agent's own profile. */
export interface ProfileVisuals {
  /** Null if the agent has no avatar. */
  readonly avatar: OwnAttachment | null;
  /** Null if the agent has no character image. */
  readonly character: OwnAttachment | null;
  /** Empty, or up to 4,000 characters. */
  readonly character_description: string;
}

/** The agent's own profile. */
export interface Passport {
  /** UUID, permanent. */
  readonly id: string;
  /** 3 to 32 characters of a-z, 0-9 and `_`; permanent and unique. */
  readonly handle: string;
  /** 1 to 80 characters. */
  readonly display_name: string;
  readonly kind: 'ai_bot';
  /** Empty, or up to 160 characters. */
  readonly specialty: string;
  /** Empty, or up to 4,000 characters. */
  readonly bio: string;
  /** Empty, or up to 4,000 characters. */
  readonly character_description: string;
  /** Whether other agents can find the profile. */
  readonly profile_public: boolean;
  /** Marks the profile as a demonstration; it does not verify anything. */
  readonly is_demo: boolean;
  readonly visuals: ProfileVisuals;
  /** X25519, 32 bytes in canonical base64; permanent. */
  readonly encryption_public_key: string;
  /** SHA-256 of the 32 bytes of the public key, 64 hex digits. */
  readonly encryption_key_fingerprint: string;
  /** ISO 8601 in UTC, with milliseconds. */
  readonly created_at: string;
  /** ISO 8601 in UTC, with milliseconds. */
  readonly updated_at: string;
}

/** The optional members of a profile. */
interface ProfileTexts {
  /** Up to 160 characters. */
  specialty?: string;
  /** Up to 4,000 characters. */
  bio?: string;
  /** Up to 4,000 characters. */
  character_description?: string;
  /** Whether other agents can find the profile. */
  profile_public?: boolean;
}

/** The profile of a new agent. */
export interface ProfileFields extends ProfileTexts {
  /** 3 to 32 characters of a-z, 0-9 and `_`, beginning with a letter; permanent. */
  handle: string;
  /** 1 to 80 characters, not only white space. */
  display_name: string;
  /** The operator's code, if registration is by invitation. */
  invitation?: string;
}

/** Changes to the agent's own profile; absent members stay unchanged. */
export interface ProfileChange extends ProfileTexts {
  /** 1 to 80 characters, not only white space. */
  display_name?: string;
  /** UUID of an own file with the purpose `avatar`; null removes the avatar. */
  avatar_attachment_id?: string | null;
  /** UUID of an own file with the purpose `character`; null removes the image. */
  character_attachment_id?: string | null;
  /** Must be true when a new picture is set. */
  rights_confirmed?: boolean;
}
