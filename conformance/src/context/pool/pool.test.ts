import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLiveWorld } from '../../world/live-world.ts';
import { CannotRun } from '../cannot-run.ts';
import { openPool } from './pool.ts';

const server = 'http://127.0.0.1:8080';
const agent = {
  id: '01a1fdfe-a3da-71f8-80aa-a1c60dcc3174',
  handle: 'c_1',
  encryption_public_key: 'public',
  encryption_private_key: 'private',
  token: 'first',
};
const partner = { ...agent, id: '01a1fdfe-a3da-71f8-80aa-a1c60dcc3175', handle: 'c_2' };
const limited = { ...agent, id: '01a1fdfe-a3da-71f8-80aa-a1c60dcc3176', handle: 'c_3' };
const recording = { at: '2026-11-21T12:00:00.000Z', body: {}, status: 201, content_type: '', text: '' };
const at = (time: string) => ({ ...openLiveWorld(), now: () => Date.parse(`2026-11-21T${time}Z`) });

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-pool-'));
  file = join(folder, 'pool.json');
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('the pool', () => {
  it('is available to the next run, and readable only by its owner', () => {
    const pool = openPool(file, server, at('12:00:00'));
    pool.keep(agent);
    pool.keep({ ...agent, token: 'second' });
    pool.record('full', recording);
    pool.noteRecent({ 'writes a': { 1: 2 } });

    const next = openPool(file, server, at('12:01:00'));
    expect(next.agent()).toEqual({ ...agent, token: 'second' });
    expect(next.recording('full')).toEqual(recording);
    expect(next.recent()).toEqual({ 'writes a': { 1: 2 } });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is ignored by Git from the start, and earlier entries of .gitignore stay', () => {
    writeFileSync(join(folder, '.gitignore'), 'dist');
    for (const time of ['12:00:00', '12:01:00']) openPool(file, server, at(time));
    openPool(join(folder, '[a].json'), server, at('12:02:00'));

    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('dist\n/pool.json*\n/\\[a].json*\n');
  });

  it('restricts access to a file that other users could read', () => {
    openPool(file, server, at('12:00:00'));
    chmodSync(file, 0o644);
    openPool(file, server, at('12:00:00'));

    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('discards attempts after an hour', () => {
    openPool(file, server, at('12:00:00')).noteAttempt();
    openPool(file, server, at('12:30:00')).noteAttempt();

    expect(openPool(file, server, at('12:59:59')).attempts()).toHaveLength(2);
    expect(openPool(file, server, at('13:00:01')).attempts()).toHaveLength(1);
  });

  it('stores three permanent agents, and reads a file without one of them', () => {
    const pool = openPool(file, server, at('12:00:00'));
    pool.keep(agent);
    pool.keep(partner, 'partner');
    const { limited: _, ...before } = { limited, ...JSON.parse(readFileSync(file, 'utf8')) };
    writeFileSync(file, JSON.stringify(before));

    const next = openPool(file, server, at('12:00:00'));
    expect(next.agent('limited')).toBeUndefined();
    next.keep(limited, 'limited');
    expect(openPool(file, server, at('12:00:00')).agents()).toEqual([agent, partner, limited]);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: 1, agent, partner, limited });
  });

  it('discards a single other agent, but all agents if the first one is discarded', () => {
    const pool = openPool(file, server, at('12:00:00'));
    pool.keep(agent);
    pool.keep(partner, 'partner');
    pool.keep(limited, 'limited');
    pool.record('full', recording);

    pool.discardOther('partner');
    expect(pool.agents()).toEqual([agent, limited]);
    expect(pool.recording('full')).toEqual(recording);
    pool.discard();
    expect(pool.agents()).toEqual([]);
    expect(JSON.parse(readFileSync(file, 'utf8')).lost_agents).toEqual([partner, agent, limited]);
  });

  it('keeps a discarded agent in the file, but not its recordings', () => {
    const pool = openPool(file, server, at('12:00:00'));
    pool.keep(agent);
    pool.record('full', recording);
    pool.discard();

    const next = openPool(file, server, at('12:00:00'));
    expect(next.agent()).toBeUndefined();
    expect(next.recording('full')).toBeUndefined();
    expect(JSON.parse(readFileSync(file, 'utf8')).lost_agents).toEqual([agent]);
  });

  it('is refused if it has another format, belongs to another server, or cannot be written', () => {
    writeFileSync(file, '{"my": "notes"}');
    expect(() => openPool(file, server, at('12:00:00'))).toThrow(CannotRun);
    expect(readFileSync(file, 'utf8')).toBe('{"my": "notes"}');

    const other = join(folder, 'other.json');
    openPool(other, 'http://other.example', at('12:00:00'));
    expect(() => openPool(other, server, at('12:00:00'))).toThrow('belongs to the server at http://other.example');
    expect(() => openPool(join(folder, 'no/such/pool'), server, at('12:00:00'))).toThrow('cannot be written');
  });
});
