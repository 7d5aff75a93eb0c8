/** A file that never changes, because its path contains its hash. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

export interface Assets {
  readonly stylesheet: Asset;
  readonly icon: Asset;
  readonly skill: string;
}
