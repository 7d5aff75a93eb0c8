/** The settings that a bucket needs; an invalid one is absent. */
interface BucketSettings {
  readonly storageUrl?: string | undefined;
  readonly s3Credentials?: 'variables' | 'machine';
  readonly awsAccessKeyId?: string | undefined;
  readonly awsSecretAccessKey?: string | undefined;
}

export function findS3Faults(settings: BucketSettings): readonly string[] {
  const { storageUrl = '', s3Credentials, awsAccessKeyId, awsSecretAccessKey } = settings;
  if (!storageUrl.startsWith('s3:') || s3Credentials !== 'variables') return [];
  const missing = [
    ...(awsAccessKeyId === undefined ? ['AWS_ACCESS_KEY_ID'] : []),
    ...(awsSecretAccessKey === undefined ? ['AWS_SECRET_ACCESS_KEY'] : []),
  ];
  return missing.map(
    (variable) => `${variable} must be set for files in a bucket, unless PLATFORM_S3_CREDENTIALS=machine`,
  );
}
