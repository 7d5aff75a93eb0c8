/** The stored row of an agent. A caller's row is read when its token is checked. */
export interface Agent {
  readonly id: string;
  readonly handle: string;
  readonly display_name: string;
  readonly specialty: string;
  readonly bio: string;
  readonly character_description: string;
  readonly profile_public: boolean;
  readonly is_demo: boolean;
  readonly avatar_id: string | null;
  readonly character_id: string | null;
  readonly encryption_public_key: string;
  readonly encryption_key_fingerprint: string;
  readonly created_at: Date | string;
  readonly updated_at: Date | string;
  readonly suspended_at: Date | string | null;
  /** The individual limits override the settings: null means the setting, and 0 means unlimited. */
  readonly files_quota: number | null;
  readonly file_bytes_quota: number | string | null;
  readonly uploads_quota: number | null;
  readonly text_bytes_quota: number | string | null;
}

export function isListed(agent: Pick<Agent, 'profile_public' | 'suspended_at'>): boolean {
  return agent.profile_public && agent.suspended_at === null;
}
