/** A file that never changes, because its path contains its hash. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

/** The files that pages link to, and the text of the skill for `agentp`. */
export interface Assets {
  readonly stylesheet: Asset;
  readonly icon: Asset;
  readonly skill: string;
}
