import { limits } from '@agent-platform/contract';
import {
  addressList,
  choiceSetting,
  countSetting,
  fractionSetting,
  hostSetting,
  optionalConnectionUrl,
  optionalContact,
  optionalCount,
  optionalFolder,
  optionalLine,
  optionalLink,
  optionalSecret,
  originList,
  publicUrl,
  storageUrl,
  textSetting,
  withVariablePrefix,
} from './setting.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const postgresAddress = /^postgres(ql)?:\/\/\S+$/;

/** Settings whose environment variables are common to many programs. */
const commonSettings = withVariablePrefix('', {
  host: hostSetting('127.0.0.1', 'address to listen on'),
  port: countSetting(8080, 'port to listen on; 0 selects a free port', 65_535),
  databaseUrl: optionalConnectionUrl('postgres://… ; unset: embedded database in the data folder', postgresAddress),
  redisUrl: optionalConnectionUrl('redis://… for several instances on the same database', /^rediss?:\/\/\S+$/),
  logLevel: choiceSetting(logLevels, 'minimum level of log lines', 'info'),
  awsAccessKeyId: optionalSecret('access key id for s3://…'),
  awsSecretAccessKey: optionalSecret('secret access key for that id'),
  awsSessionToken: optionalSecret('session token of temporary credentials'),
});

const collector = 'http://… or https://… address of a collector';

/** Standard variables of OpenTelemetry; others, such as OTEL_EXPORTER_OTLP_HEADERS, are read by its libraries. */
const openTelemetrySettings = withVariablePrefix('OTEL_', {
  exporterOtlpEndpoint: optionalConnectionUrl(`${collector}, for metrics and traces over OTLP`, /^https?:\/\/\S+$/),
  exporterOtlpMetricsEndpoint: optionalConnectionUrl(`${collector}, for metrics only`, /^https?:\/\/\S+$/),
  exporterOtlpTracesEndpoint: optionalConnectionUrl(`${collector}, for traces only`, /^https?:\/\/\S+$/),
  metricExportInterval: countSetting(60_000, 'milliseconds between two OTLP exports of metrics', 2 ** 31 - 1, 100),
  tracesSampler: choiceSetting(
    [
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
      'always_on',
      'always_off',
      'traceidratio',
    ],
    'which requests are traced; parentbased: follow the decision of the client, if it has made one',
  ),
  tracesSamplerArg: fractionSetting(1, 'share of requests to trace, for a traceidratio sampler'),
});

/**
 * Every setting: how its text is parsed, its default and its meaning. Its environment variable follows from its name:
 * `feeBps` is `PLATFORM_FEE_BPS`, and the common setting `port` is `PORT`. The value 0 disables a limit.
 */
export const allSettings = {
  ...commonSettings,
  ...withVariablePrefix('PLATFORM_', {
    dataDir: textSetting('./data', 'folder of the embedded database, files, operator socket and backups'),
    docsDir: optionalFolder('built documentation site, served under /docs; unset: none'),
    publicUrl: publicUrl('public address of the server; unset: derived from HOST and PORT'),
    pages: choiceSetting(['on', 'off'], 'public web pages'),
    operatorName: optionalLine('name of the operator, on the public pages'),
    contact: optionalContact('e-mail or web address of the operator, on the public pages'),
    termsUrl: optionalLink('address of the terms of use, on the public pages'),
    abuseContact: optionalContact('e-mail or web address for reports of abuse, on the public pages'),
    installCommand: optionalLine('command that installs agentp, shown on the public pages; unset: none is shown'),
    trustProxy: addressList('proxies whose X-Forwarded-For is trusted'),
    corsOrigins: originList(
      'origins of web pages that may call the API; a token in a page is readable by all its scripts',
    ),
    migrate: choiceSetting(['on-start', 'manual'], 'when migrations are applied'),
    clock: choiceSetting(
      ['system', 'test'],
      'test: "operator clock advance" can move the time; only for a database created with this setting',
    ),
    directDatabaseUrl: optionalConnectionUrl(
      'postgres://… of the database itself if DATABASE_URL points to a pooler; unset: DATABASE_URL',
      postgresAddress,
    ),
    readDatabaseUrl: optionalConnectionUrl(
      'postgres://… of a streaming standby, which serves lists and searches; unset: none',
      postgresAddress,
    ),
    databaseConnections: countSetting(
      10,
      'PostgreSQL connections per process, not counting those for notifications',
      1_000,
      2,
    ),
    registrationMode: choiceSetting(['open', 'invitation', 'closed'], 'registration mode until the operator sets one'),

    registrationsPerAddressPerHour: countSetting(
      limits.registrationsPerAddressPerHour,
      'registration attempts per address',
    ),
    registrationsPerHour: countSetting(limits.registrationsPerHour, 'registration attempts in total'),
    writesPerMinute: countSetting(limits.writesPerMinute, 'changes per agent'),
    contactRequestsPerMinute: countSetting(limits.contactRequestsPerMinute, 'new contact requests per agent'),
    messagesPerMinute: countSetting(limits.messagesPerMinute, 'new messages per agent'),
    requestsPerAddressPerMinute: countSetting(limits.requestsPerAddressPerMinute, 'requests per address'),
    requestSeconds: countSetting(limits.requestSeconds, 'time limit for receiving a request; then 408'),
    uploadSeconds: countSetting(limits.uploadSeconds, 'time limit for receiving an upload; then 408'),
    eventConnectionsPerAgent: countSetting(limits.eventConnectionsPerAgent, 'event connections per agent'),
    eventConnectionsPerAddress: optionalCount(
      'event connections per address, except loopback; unset: half of PLATFORM_EVENT_CONNECTIONS',
    ),
    eventConnections: countSetting(limits.eventConnections, 'event connections in total'),
    feeBps: countSetting(limits.feeBps, 'commission in basis points (hundredths of a percent)', 10_000),
    tokenLifetimeDays: countSetting(limits.tokenLifetimeDays, 'token lifetime; 0: no expiry', 36_500),
    fileBytes: countSetting(limits.fileMaxBytes, 'maximum size of a file'),
    agentFiles: countSetting(limits.agentFilesMax, 'active files per agent'),
    agentFileBytes: countSetting(limits.agentFilesMaxBytes, 'bytes of files per agent, previews included'),
    agentUploads: countSetting(limits.agentUploadsMax, 'upload records per agent'),
    files: countSetting(limits.filesMax, 'active files in total'),
    fileBytesTotal: countSetting(limits.filesMaxBytes, 'bytes of all files'),
    uploads: countSetting(limits.uploadsMax, 'upload records in total'),
    arrivingUploadsPerAgent: countSetting(4, 'concurrent uploads per agent and instance'),
    arrivingUploadsPerAddress: countSetting(4, 'concurrent uploads per address and instance'),
    uploadChecks: countSetting(limits.uploadChecksMax, 'concurrent file checks on all instances'),
    uploadChecksPerInstance: countSetting(
      0,
      'concurrent file checks per instance; 0: only PLATFORM_UPLOAD_CHECKS applies',
    ),
    uploadIsolation: choiceSetting(
      ['auto', 'required', 'off'],
      'isolation of file checks from the server and the network',
    ),
    agentTextBytes: countSetting(
      limits.agentTextMaxBytes,
      'bytes of text per agent: posts, profile, retained messages, orders',
    ),
    openOffers: countSetting(limits.openOffersMax, 'open offers from one agent to another'),
    storageUrl: storageUrl('storage for files: a folder or a bucket; unset: the data folder'),
    s3Endpoint: publicUrl('address of an S3 server; unset: Amazon S3 in the region'),
    s3Region: textSetting('us-east-1', 'region of the bucket'),
    s3PathStyle: choiceSetting(
      ['false', 'true'],
      'true: put the bucket into the request path instead of the host name',
    ),
    s3Credentials: choiceSetting(
      ['variables', 'machine'],
      'variables: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; machine: the default credential chain of the AWS SDK, including instance metadata',
    ),
    unattachedFileHours: countSetting(limits.unattachedFileHours, 'time until an unattached file is removed'),
    detachedFileDays: countSetting(limits.detachedFileDays, 'time until a detached file is removed'),
    messageDays: countSetting(limits.messageDays, 'retention of message content'),
    backupDays: countSetting(limits.backupDays, 'retention of backups'),
    backupDir: optionalFolder('folder of backups; unset: in the data folder'),
    backupHours: optionalCount('interval between backups; 0: none; unset: 24 with PGlite, 0 with PostgreSQL'),
    retentionEveryMinutes: countSetting(limits.retentionEveryMinutes, 'interval between retention runs'),
    drainSeconds: countSetting(0, 'delay between SIGTERM and shutdown, during which readiness returns 503', 3_600),
    metricsPort: optionalCount('port of the Prometheus metrics; 0 selects a free port; unset: no metrics', 65_535),
    metricsHost: hostSetting('127.0.0.1', 'address to listen on for metrics'),
    slowStatementMs: countSetting(500, 'minimum duration of a statement that is logged as slow'),
  }),
  ...openTelemetrySettings,
};
