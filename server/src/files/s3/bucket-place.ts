/** The access keys of an S3 account. */
export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The location of an installation's files in S3. */
export interface BucketPlace {
  readonly bucket: string;
  /** Precedes the names of all objects: empty, or ends with a slash. */
  readonly prefix: string;
  /** If undefined, Amazon's endpoint for the region is used. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** Whether the bucket is named in the path instead of the host. */
  readonly hasPathStyle: boolean;
  /** If undefined, the keys that the AWS SDK finds on this machine are used. */
  readonly keys: S3Keys | undefined;
}

/** Reads `s3://bucket/prefix`. */
export function parseBucketUrl(url: string): Pick<BucketPlace, 'bucket' | 'prefix'> {
  const [bucket = '', ...names] = url.slice('s3://'.length).split('/');
  const prefix = names.filter((name) => name !== '').join('/');
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` };
}
