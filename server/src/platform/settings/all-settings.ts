import { limits } from '@agent-platform/contract';
import { addressList, choice, count, level, optionalText, port, publicUrl, storageUrl, text } from './setting.ts';

/**
 * Every setting: the name of its environment variable, how its text is read and
 * what holds without it. A limit of 0 is switched off.
 */
export const settingsTable = {
  host: text('HOST', '127.0.0.1', 'address to listen on'),
  port: port('PORT', 8080, 'port to listen on; 0 takes any free one'),
  databaseUrl: optionalText(
    'DATABASE_URL',
    'postgres://… ; unset: embedded in the data folder',
    /^postgres(ql)?:\/\/\S+$/,
  ),
  redisUrl: optionalText('REDIS_URL', 'redis://… for several instances on one database', /^rediss?:\/\/\S+$/),
  logLevel: level('LOG_LEVEL', 'info', 'what is logged'),
  dataDir: text('PLATFORM_DATA_DIR', './data', 'embedded database, files, operator socket, backups'),
  publicUrl: publicUrl('PLATFORM_PUBLIC_URL', 'the address that people and agents see; unset: from HOST and PORT'),
  trustProxy: addressList('PLATFORM_TRUST_PROXY', 'proxies whose X-Forwarded-For counts'),
  migrate: choice('PLATFORM_MIGRATE', ['on-start', 'manual'], 'when the schema is brought up to date'),
  registrationMode: choice(
    'PLATFORM_REGISTRATION_MODE',
    ['open', 'invitation', 'closed'],
    'until the operator chooses',
  ),

  registrationsPerAddressPerHour: count(
    'PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR',
    limits.registrationsPerAddressPerHour,
    'registration attempts of one address',
  ),
  registrationsPerHour: count(
    'PLATFORM_REGISTRATIONS_PER_HOUR',
    limits.registrationsPerHour,
    'registration attempts in all',
  ),
  writesPerMinute: count('PLATFORM_WRITES_PER_MINUTE', limits.writesPerMinute, 'mutating requests of one identity'),
  contactRequestsPerMinute: count(
    'PLATFORM_CONTACT_REQUESTS_PER_MINUTE',
    limits.contactRequestsPerMinute,
    'new contact requests of one identity',
  ),
  messagesPerMinute: count('PLATFORM_MESSAGES_PER_MINUTE', limits.messagesPerMinute, 'new messages of one identity'),
  requestsPerAddressPerMinute: count(
    'PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE',
    limits.requestsPerAddressPerMinute,
    'requests of one address',
  ),
  requestSeconds: count('PLATFORM_REQUEST_SECONDS', limits.requestSeconds, 'a request not complete by then is 408'),
  uploadSeconds: count('PLATFORM_UPLOAD_SECONDS', limits.uploadSeconds, 'the same for an upload'),
  eventConnectionsPerAgent: count(
    'PLATFORM_EVENT_CONNECTIONS_PER_AGENT',
    limits.eventConnectionsPerAgent,
    'event connections of one agent',
  ),
  eventConnections: count('PLATFORM_EVENT_CONNECTIONS', limits.eventConnections, 'event connections in all'),
  feeBps: count('PLATFORM_FEE_BPS', limits.feeBps, 'commission in hundredths of a percent', 10_000),
  tokenLifetimeDays: count(
    'PLATFORM_TOKEN_LIFETIME_DAYS',
    limits.tokenLifetimeDays,
    'days that a token lives; 0: for ever',
    36_500,
  ),
  fileBytes: count('PLATFORM_FILE_BYTES', limits.fileMaxBytes, 'size of one file'),
  agentFiles: count('PLATFORM_AGENT_FILES', limits.agentFilesMax, 'active files of one agent'),
  agentFileBytes: count(
    'PLATFORM_AGENT_FILE_BYTES',
    limits.agentFilesMaxBytes,
    'bytes of one agent, previews included',
  ),
  agentUploads: count('PLATFORM_AGENT_UPLOADS', limits.agentUploadsMax, 'upload records of one agent'),
  files: count('PLATFORM_FILES', limits.filesMax, 'active files in all'),
  fileBytesTotal: count('PLATFORM_FILE_BYTES_TOTAL', limits.filesMaxBytes, 'bytes in all'),
  uploads: count('PLATFORM_UPLOADS', limits.uploadsMax, 'upload records in all'),
  uploadChecks: count('PLATFORM_UPLOAD_CHECKS', limits.uploadChecksMax, 'files checked at the same time'),
  storageUrl: storageUrl('PLATFORM_STORAGE_URL', 'file:///… or s3://bucket/prefix; unset: in the data folder'),
  unattachedFileHours: count(
    'PLATFORM_UNATTACHED_FILE_HOURS',
    limits.unattachedFileHours,
    'until an unattached file is cleaned',
  ),
  detachedFileDays: count('PLATFORM_DETACHED_FILE_DAYS', limits.detachedFileDays, 'until a detached file is removed'),
  messageDays: count('PLATFORM_MESSAGE_DAYS', limits.messageDays, 'that the content of a message is kept'),
  backupDays: count('PLATFORM_BACKUP_DAYS', limits.backupDays, 'that a backup is kept'),
  retentionEveryMinutes: count(
    'PLATFORM_RETENTION_EVERY_MINUTES',
    limits.retentionEveryMinutes,
    'between two runs of retention',
  ),
} as const;
