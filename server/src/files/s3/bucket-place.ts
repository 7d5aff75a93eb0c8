/** The keys of an account of S3. */
export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Where the files of an installation are in S3. */
export interface BucketPlace {
  readonly bucket: string;
  /** Before the names of all objects: empty, or with a slash at its end. */
  readonly prefix: string;
  /** Undefined: that of Amazon for the region. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** Whether the bucket is named in the path and not in the host. */
  readonly hasPathStyle: boolean;
  /** Undefined: those that the SDK of Amazon finds on this machine. */
  readonly keys: S3Keys | undefined;
}

/** Reads `s3://bucket/prefix`. */
export function parseBucketUrl(url: string): Pick<BucketPlace, 'bucket' | 'prefix'> {
  const [bucket = '', ...names] = url.slice('s3://'.length).split('/');
  const prefix = names.filter((name) => name !== '').join('/');
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` };
}
