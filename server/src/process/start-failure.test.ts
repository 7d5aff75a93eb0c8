import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../store/unavailable.ts';
import { describeStartFailure } from './start-failure.ts';

const databaseUrl = 'postgres://me:hunter2@db.example:5433/platform';
const failure = (message: string, code: string) => Object.assign(new Error(message), { code });

describe('a start that fails', () => {
  it.each([
    ['listen EADDRINUSE: address already in use', 'EADDRINUSE', /set PORT/],
    ['listen EADDRNOTAVAIL', 'EADDRNOTAVAIL', /HOST is not an address/],
    ['getaddrinfo ENOTFOUND nowhere', 'ENOTFOUND', /HOST cannot be resolved/],
    ["EEXIST: file already exists, mkdir '/x'", 'EEXIST', /PLATFORM_DATA_DIR must name a folder/],
    ['EACCES: permission denied', 'EACCES', /PLATFORM_DATA_DIR/],
    ['ENOSPC: no space left on device', 'ENOSPC', /free some space/],
  ])('with %j says how to fix it', (message, code, hint) => {
    expect(describeStartFailure(failure(message, code), undefined)).toMatch(hint);
  });

  it.each([
    ['password authentication failed for user "me"', '28P01'],
    ['database "platform" does not exist', '3D000'],
    ['connect ECONNREFUSED 127.0.0.1:5433', 'ECONNREFUSED'],
    ['getaddrinfo ENOTFOUND db.example', 'ENOTFOUND'],
    ['The server does not support SSL connections', ''],
  ])('with %j names the database and the setting, and no password', (message, code) => {
    const text = describeStartFailure(failure(message, code), databaseUrl);

    expect(text).toContain(message);
    expect(text).toMatch(/Check DATABASE_URL: the database platform at db\.example:5433/);
    expect(text).not.toContain('hunter2');
  });

  it.each([
    ['28P01', 'Passwort-Authentifizierung fehlgeschlagen', 'accept this user and password'],
    ['42501', 'keine Berechtigung', 'give this user its privileges'],
    ['57P03', 'das Datenbanksystem startet', 'run; it is starting'],
    ['25006', 'Transaktion ist nur lesend', 'accept writes: name the primary'],
    ['22P05', 'Zeichen hat keine Entsprechung', 'have the encoding UTF8'],
  ])('with the SQLSTATE %s and a translated message, has the hint of the SQLSTATE', (code, message, hint) => {
    const cause = failure(message, code);

    for (const error of [cause, new StoreUnavailableError('The database cannot be reached.', { cause })])
      expect(describeStartFailure(error, databaseUrl)).toContain(
        `the database platform at db.example:5433 must ${hint}`,
      );
  });

  it('without a free connection says how to get one', () => {
    const cause = failure('sorry, too many clients already', '53300');
    const text = describeStartFailure(
      new StoreUnavailableError('The database cannot be reached.', { cause }),
      databaseUrl,
    );

    expect(text).toMatch(/too many clients already.*Lower PLATFORM_DATABASE_CONNECTIONS/);
  });

  it('includes the cause', () => {
    const error = new Error('The database cannot be reached.', { cause: failure('no such database', '3D000') });

    expect(describeStartFailure(error, databaseUrl)).toMatch(/no such database.*Check DATABASE_URL/);
  });
});
