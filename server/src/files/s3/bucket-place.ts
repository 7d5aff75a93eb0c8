export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface BucketLocation {
  readonly bucket: string;
  /** The prefix of all object names: empty, or ends with a slash. */
  readonly prefix: string;
  /** If undefined, the AWS endpoint of the region is used. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** Whether URLs contain the bucket name in the path instead of the host. */
  readonly hasPathStyle: boolean;
  /** If undefined, the access keys that the AWS SDK finds on this machine are used. */
  readonly keys: S3Keys | undefined;
}

export function parseBucketUrl(url: string): Pick<BucketLocation, 'bucket' | 'prefix'> {
  const [bucket = '', ...names] = url.slice('s3://'.length).split('/');
  const prefix = names.filter((name) => name !== '').join('/');
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` };
}
