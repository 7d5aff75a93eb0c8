import { describe, expect, it } from 'vitest';
import { makeAddressKey, networkKeysOf, parseForwardedFor } from '../http/address.ts';
import { hideTokens } from '../logger.ts';
import { findUnknownVariables, listSettings, readSettings, SettingsError } from './settings.ts';

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readSettings(env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
}

describe('the settings', () => {
  it('refuse a replica of the embedded database', () => {
    const env = { PLATFORM_READ_DATABASE_URL: 'postgres://standby/platform' };
    expect(faultsOf(env)).toEqual([
      expect.stringMatching(/^PLATFORM_READ_DATABASE_URL must be unset without DATABASE_URL/),
    ]);
    expect(faultsOf({ ...env, DATABASE_URL: 'postgres://primary/platform' })).toEqual([]);
  });

  it('have the stated defaults', () => {
    expect(readSettings({})).toEqual({
      host: '127.0.0.1',
      port: 8_080,
      databaseUrl: undefined,
      redisUrl: undefined,
      logLevel: 'info',
      dataDir: './data',
      publicUrl: undefined,
      pages: 'on',
      operatorName: undefined,
      contact: undefined,
      termsUrl: undefined,
      abuseContact: undefined,
      installCommand: undefined,
      trustProxy: [],
      corsOrigins: [],
      migrate: 'on-start',
      clock: 'system',
      databaseConnections: 10,
      registrationMode: 'open',
      registrationsPerAddressPerHour: 10,
      registrationsPerHour: 100,
      writesPerMinute: 120,
      contactRequestsPerMinute: 10,
      messagesPerMinute: 60,
      requestsPerAddressPerMinute: 1_200,
      requestSeconds: 30,
      uploadSeconds: 120,
      eventConnectionsPerAgent: 2,
      eventConnectionsPerAddress: undefined,
      eventConnections: 32,
      feeBps: 1_000,
      tokenLifetimeDays: 30,
      fileBytes: 20_971_520,
      agentFiles: 100,
      agentTextBytes: 1_073_741_824,
      openOffers: 1_000,
      agentFileBytes: 104_857_600,
      agentUploads: 1_000,
      files: 10_000,
      fileBytesTotal: 10_737_418_240,
      uploads: 100_000,
      arrivingUploadsPerAgent: 4,
      arrivingUploadsPerAddress: 4,
      uploadChecks: 2,
      uploadChecksPerInstance: 0,
      uploadIsolation: 'auto',
      storageUrl: undefined,
      s3Region: 'us-east-1',
      s3PathStyle: 'false',
      s3Credentials: 'variables',
      unattachedFileHours: 24,
      detachedFileDays: 30,
      messageDays: 90,
      backupDays: 7,
      retentionEveryMinutes: 60,
      drainSeconds: 0,
      metricsHost: '127.0.0.1',
      slowStatementMs: 500,
      metricExportInterval: 60_000,
      tracesSampler: 'parentbased_always_on',
      tracesSamplerArg: 1,
    });
  });

  it('are all listed if they are all invalid', () => {
    const faults = faultsOf({
      PORT: '65536',
      DATABASE_URL: 'mysql://x',
      LOG_LEVEL: 'loud',
      PLATFORM_TRUST_PROXY: '10.0.0.0/33, everyone',
      PLATFORM_MIGRATE: 'never',
      PLATFORM_FEE_BPS: '10001',
      PLATFORM_WRITES_PER_MINUTE: '1.5',
      PLATFORM_PUBLIC_URL: 'ftp://x',
      PLATFORM_STORAGE_URL: 'somewhere',
    });

    expect(faults.map((fault) => fault.split('=')[0])).toEqual([
      'PORT',
      'DATABASE_URL',
      'LOG_LEVEL',
      'PLATFORM_PUBLIC_URL',
      'PLATFORM_TRUST_PROXY',
      'PLATFORM_MIGRATE',
      'PLATFORM_WRITES_PER_MINUTE',
      'PLATFORM_FEE_BPS',
      'PLATFORM_STORAGE_URL',
    ]);
    expect(faults.find((fault) => fault.startsWith('PLATFORM_TRUST_PROXY'))).toContain('10.0.0.0/33, everyone');
  });

  it.each(['-1', '1e3', '0x10', ' 5', '5 ', '١', 'true', '99999999999999999', ''])(
    'refuse %j as a number, except that an empty text means unset',
    (text) => {
      expect(faultsOf({ PLATFORM_MESSAGES_PER_MINUTE: text })).toHaveLength(text === '' ? 0 : 1);
    },
  );

  it.each([
    [{ HOST: '0.0.0.0' }, 'HOST'],
    [{ PLATFORM_PUBLIC_URL: 'http://192.0.2.7:8080' }, 'PLATFORM_PUBLIC_URL'],
    [{ PLATFORM_PUBLIC_URL: 'https://127.0.0.1.example.org' }, 'PLATFORM_PUBLIC_URL'],
    [{ PLATFORM_TRUST_PROXY: '127.0.0.1' }, 'PLATFORM_TRUST_PROXY'],
  ])('refuse a test clock with %j', (env, variable) => {
    const faults = faultsOf({ PLATFORM_CLOCK: 'test', ...env });

    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${variable}=.* with PLATFORM_CLOCK=test`))]);
    expect(faultsOf(env)).toEqual([]);
  });

  it.each([
    {},
    { HOST: '::1' },
    { HOST: 'localhost' },
    { HOST: 'db-1.internal', PLATFORM_METRICS_HOST: '::', PLATFORM_PUBLIC_URL: 'http://[::1]:8080' },
    { HOST: '0.0.0.0', PLATFORM_PUBLIC_URL: 'http://127.0.0.1:8080/agents', PLATFORM_TRUST_PROXY: 'false' },
  ])('accept a test clock with %j', (env) => {
    expect(faultsOf({ PLATFORM_CLOCK: 'test', ...env })).toEqual([]);
  });

  it.each(['999.1.1.1', '[::1]', 'exa mple', 'http://localhost', 'localhost:80', ':', '::1%lo', '127.0.0.1/8'])(
    'refuse %j as a host',
    (host) => {
      expect(faultsOf({ HOST: host, PLATFORM_METRICS_HOST: host, PLATFORM_CLOCK: 'test' })).toEqual([
        expect.stringMatching(/^HOST=.* must be an address such as 127\.0\.0\.1/),
        expect.stringMatching(/^PLATFORM_METRICS_HOST=/),
      ]);
    },
  );

  it('require at least two connections to the database', () => {
    expect(faultsOf({ PLATFORM_DATABASE_CONNECTIONS: '1' })).toHaveLength(1);
    expect(readSettings({ PLATFORM_DATABASE_CONNECTIONS: '2' }).databaseConnections).toBe(2);
  });

  it('accept 0 for a disabled limit', () => {
    expect(readSettings({ PLATFORM_MESSAGES_PER_MINUTE: '0' }).messagesPerMinute).toBe(0);
  });

  it.each([
    ['false', []],
    ['127.0.0.1', ['127.0.0.1']],
    ['10.0.0.0/8, 2001:db8::/32,::1', ['10.0.0.0/8', '2001:db8::/32', '::1']],
  ])('read the proxies %j', (text, list) => {
    expect(readSettings({ PLATFORM_TRUST_PROXY: text }).trustProxy).toEqual(list);
  });

  it.each(['postgres://a:100%secret@h/x', 'postgres:///', 'http://x'])('refuse %j as a database', (url) => {
    expect(faultsOf({ DATABASE_URL: url })).toHaveLength(url === 'postgres:///' ? 0 : 1);
  });

  it.each([
    ['https://agents.example.org', 'https://agents.example.org'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
    ['https://example.org/agents/', 'https://example.org/agents'],
  ])('read the public address %j', (text, address) => {
    expect(readSettings({ PLATFORM_PUBLIC_URL: text }).publicUrl).toBe(address);
  });

  it.each([
    'https://me:pw@x.example',
    'https://:pw@x.example',
    'https://x.example/?',
    ' https://x.example',
    'https://x.example\n',
    'x.example',
  ])('refuse %j as a public address', (text) => {
    expect(faultsOf({ PLATFORM_PUBLIC_URL: text })).toHaveLength(1);
  });

  it.each(['s3://key:secret@bucket/prefix', 's3://', 'file://x', 's3://bucket/a b'])(
    'refuse %j as a storage',
    (text) => {
      expect(faultsOf({ PLATFORM_STORAGE_URL: text })).toHaveLength(1);
    },
  );

  it('hide secrets, in errors and when they are shown', () => {
    const [fault] = faultsOf({ DATABASE_URL: 'mysql://me:hunter2@host/db' });
    const settings = readSettings({ DATABASE_URL: 'postgres://me:hunter2@host:5432/db?password=hunter2' });

    expect(fault).not.toContain('hunter2');
    expect(JSON.stringify(listSettings(settings))).not.toContain('hunter2');
    expect(listSettings(settings).find(({ variable }) => variable === 'DATABASE_URL')?.value).toBe(
      'postgres://hidden:hidden@host:5432/db',
    );
  });

  it('require keys for a bucket, and do not show them', () => {
    const bucket = { PLATFORM_STORAGE_URL: 's3://agents/files' };
    const keys = {
      AWS_ACCESS_KEY_ID: 'AKID0123',
      AWS_SECRET_ACCESS_KEY: 'abc:def/0123',
      AWS_SESSION_TOKEN: 'token0123',
    };
    expect(faultsOf(bucket).map((fault) => fault.split(' ')[0])).toEqual([
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
    ]);
    expect(faultsOf({ ...bucket, PLATFORM_S3_CREDENTIALS: 'machine' })).toEqual([]);
    expect(faultsOf({ AWS_ACCESS_KEY_ID: 'only one' })).toEqual([
      expect.stringMatching(/^AWS_ACCESS_KEY_ID=\(hidden\)/),
    ]);
    const shown = JSON.stringify(listSettings(readSettings({ ...bucket, ...keys })));
    for (const secret of Object.values(keys)) expect(shown).not.toContain(secret);
  });

  it('show what differs from the default', () => {
    const shown = listSettings(readSettings({ PORT: '9000' }));

    expect(shown.filter(({ is_default }) => !is_default).map(({ variable }) => variable)).toEqual(['PORT']);
  });

  it('report misspelled variables', () => {
    const env = { PLATFORM_DATADIR: 'x', PLATFORM_DATA_DIR: 'y', PATH: 'z', PLATFORM_PORT: '1', PLATFORM_QUX: '2' };
    expect(findUnknownVariables(env)).toEqual([
      { variable: 'PLATFORM_DATADIR', nearest: 'PLATFORM_DATA_DIR' },
      { variable: 'PLATFORM_PORT', nearest: 'PORT' },
      { variable: 'PLATFORM_QUX', nearest: undefined },
    ]);
  });
});

describe('the key of an address', () => {
  it.each([
    ['198.51.100.7', '198.51.100.7'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['198.51.100.7:50123', '198.51.100.7'],
    ['[2001:db8:1:2::9]:50123', '2001:db8:1:2::/64'],
    ['[::ffff:198.51.100.7]', '198.51.100.7'],
    ['::ffff:c633:6407', '198.51.100.7'],
    ['0:0:0:0:0:FFFF:198.51.100.7', '198.51.100.7'],
    ['[0000::ffff:c633:6407%eth0]:50123', '198.51.100.7'],
    ['64:ff9b::198.51.100.7', '64:ff9b:0:0::/64'],
    ['not an address', 'no address'],
    ['198.51.100.007', 'no address'],
    ['x'.repeat(40), 'no address'],
  ])('of %s is %s', (address, key) => {
    expect(makeAddressKey(address)).toBe(key);
  });
});

it.each([
  ['1.1.1.1, 198.51.100.7', ['1.1.1.1', '198.51.100.7'], false],
  ['1.1.1.1:80,[2001:db8::9]:443', ['1.1.1.1', '2001:db8:0:0:0:0:0:9'], false],
  ['1.1.1.1, evil, 198.51.100.7', ['198.51.100.7'], true],
  ['1.1.1.1, evil', [], true],
  ['1.1.1.1, ', [], true],
])('of X-Forwarded-For %j the entries %j are trusted', (header, entries, isFaulty) => {
  expect(parseForwardedFor(header)).toEqual({ entries, isFaulty });
});

it.each([
  ['2001:db8:1:abcd::9', ['2001:db8:1:abcd::/64', '2001:db8:1:ab00::/56', '2001:db8:1::/48']],
  ['2001:db8::9', ['2001:db8:0:0::/64', '2001:db8:0:0::/56', '2001:db8:0::/48']],
  ['198.51.100.7', ['198.51.100.7']],
])('the networks of %s are %j', (address, networks) => {
  expect(networkKeysOf(makeAddressKey(address))).toEqual(networks);
});

describe('the log', () => {
  it('hides tokens, also broken and repeated ones', () => {
    const token = `apt_${'aB3_-'.repeat(9).slice(0, 43)}`;

    expect(hideTokens(`{"a":"${token}","b":"x${token}y"}`)).not.toContain('aB3_-');
    expect(hideTokens('nothing to hide')).toBe('nothing to hide');
  });
});
