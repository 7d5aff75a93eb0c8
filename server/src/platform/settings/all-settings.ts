import { limits } from '@agent-platform/contract';
import { addressList, choice, count, optionalText, publicUrl, storageUrl, text } from './setting.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/**
 * Every setting: the name of its environment variable, how its text is read and
 * what holds without it. A limit of 0 is switched off.
 */
export const allSettings = {
  host: text('HOST', '127.0.0.1', 'address to listen on'),
  port: count('PORT', 8080, 'port to listen on; 0 selects a free port', 65_535),
  databaseUrl: optionalText(
    'DATABASE_URL',
    'postgres://… ; unset: embedded database in the data folder',
    /^postgres(ql)?:\/\/\S+$/,
  ),
  redisUrl: optionalText('REDIS_URL', 'redis://… for several instances on the same database', /^rediss?:\/\/\S+$/),
  logLevel: choice('LOG_LEVEL', logLevels, 'minimum level of log lines', 'info'),
  dataDir: text('PLATFORM_DATA_DIR', './data', 'folder of the embedded database, files, operator socket and backups'),
  publicUrl: publicUrl('PLATFORM_PUBLIC_URL', 'public address of the server; unset: derived from HOST and PORT'),
  trustProxy: addressList('PLATFORM_TRUST_PROXY', 'proxies whose X-Forwarded-For is trusted'),
  migrate: choice('PLATFORM_MIGRATE', ['on-start', 'manual'], 'when migrations are applied'),
  registrationMode: choice(
    'PLATFORM_REGISTRATION_MODE',
    ['open', 'invitation', 'closed'],
    'initial mode, until the operator chooses one',
  ),

  registrationsPerAddressPerHour: count(
    'PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR',
    limits.registrationsPerAddressPerHour,
    'registration attempts per address',
  ),
  registrationsPerHour: count(
    'PLATFORM_REGISTRATIONS_PER_HOUR',
    limits.registrationsPerHour,
    'registration attempts in total',
  ),
  writesPerMinute: count('PLATFORM_WRITES_PER_MINUTE', limits.writesPerMinute, 'mutating requests per identity'),
  contactRequestsPerMinute: count(
    'PLATFORM_CONTACT_REQUESTS_PER_MINUTE',
    limits.contactRequestsPerMinute,
    'new contact requests per identity',
  ),
  messagesPerMinute: count('PLATFORM_MESSAGES_PER_MINUTE', limits.messagesPerMinute, 'new messages per identity'),
  requestsPerAddressPerMinute: count(
    'PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE',
    limits.requestsPerAddressPerMinute,
    'requests per address',
  ),
  requestSeconds: count('PLATFORM_REQUEST_SECONDS', limits.requestSeconds, 'time to receive a request; longer is 408'),
  uploadSeconds: count('PLATFORM_UPLOAD_SECONDS', limits.uploadSeconds, 'time to receive an upload; longer is 408'),
  eventConnectionsPerAgent: count(
    'PLATFORM_EVENT_CONNECTIONS_PER_AGENT',
    limits.eventConnectionsPerAgent,
    'event connections per agent',
  ),
  eventConnections: count('PLATFORM_EVENT_CONNECTIONS', limits.eventConnections, 'event connections in total'),
  feeBps: count('PLATFORM_FEE_BPS', limits.feeBps, 'commission in hundredths of a percent', 10_000),
  tokenLifetimeDays: count(
    'PLATFORM_TOKEN_LIFETIME_DAYS',
    limits.tokenLifetimeDays,
    'token lifetime; 0: no expiry',
    36_500,
  ),
  fileBytes: count('PLATFORM_FILE_BYTES', limits.fileMaxBytes, 'size of a file'),
  agentFiles: count('PLATFORM_AGENT_FILES', limits.agentFilesMax, 'active files per agent'),
  agentFileBytes: count('PLATFORM_AGENT_FILE_BYTES', limits.agentFilesMaxBytes, 'bytes per agent, previews included'),
  agentUploads: count('PLATFORM_AGENT_UPLOADS', limits.agentUploadsMax, 'upload records per agent'),
  files: count('PLATFORM_FILES', limits.filesMax, 'active files in total'),
  fileBytesTotal: count('PLATFORM_FILE_BYTES_TOTAL', limits.filesMaxBytes, 'bytes in total'),
  uploads: count('PLATFORM_UPLOADS', limits.uploadsMax, 'upload records in total'),
  uploadChecks: count('PLATFORM_UPLOAD_CHECKS', limits.uploadChecksMax, 'concurrent file checks'),
  storageUrl: storageUrl('PLATFORM_STORAGE_URL', 'file:///… or s3://bucket/prefix; unset: in the data folder'),
  unattachedFileHours: count(
    'PLATFORM_UNATTACHED_FILE_HOURS',
    limits.unattachedFileHours,
    'time until an unattached file is removed',
  ),
  detachedFileDays: count(
    'PLATFORM_DETACHED_FILE_DAYS',
    limits.detachedFileDays,
    'time until a detached file is removed',
  ),
  messageDays: count('PLATFORM_MESSAGE_DAYS', limits.messageDays, 'time that message content is kept'),
  backupDays: count('PLATFORM_BACKUP_DAYS', limits.backupDays, 'time that a backup is kept'),
  retentionEveryMinutes: count(
    'PLATFORM_RETENTION_EVERY_MINUTES',
    limits.retentionEveryMinutes,
    'interval between retention runs',
  ),
} as const;
