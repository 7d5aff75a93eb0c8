import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fetch, ProxyAgent } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failureOf } from '../../testing/records.ts';
import { breakConnection, getClosedPortUrl, replyWithRawBytes, serveScript } from '../../testing/scripted-server.ts';
import { findInnermostMessage, wasNotSent } from './network-failure.ts';

async function failureAt(url: string): Promise<unknown> {
  return await failureOf(fetch(url, { method: 'POST' }));
}

/** Makes an error like those of `fetch`, whose cause is a system error. */
function caused(members: { readonly code?: string; readonly syscall?: string }, message = 'fetch failed'): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), members) });
}

describe('a request was certainly not sent', () => {
  it('when no server listens', async () => {
    expect(wasNotSent(await failureAt(await getClosedPortUrl()))).toBe(true);
  });

  it('when fetch refuses its port', async () => {
    expect(wasNotSent(await failureAt('http://127.0.0.1:6000'))).toBe(true);
  });

  it('when a proxy refuses the connection', async () => {
    const proxy = createServer().on('connect', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void proxy.close());
    const dispatcher = new ProxyAgent(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);

    expect(wasNotSent(await failureOf(fetch('https://platform.example', { dispatcher })))).toBe(true);
  });

  it('when the server does not use TLS', async () => {
    const { url } = await serveScript(breakConnection);

    expect(wasNotSent(await failureAt(url.replace('http:', 'https:')))).toBe(true);
  });

  it.each([
    { code: 'ENOTFOUND', syscall: 'getaddrinfo' },
    { code: 'EHOSTUNREACH', syscall: 'connect' },
    { code: 'ETIMEDOUT', syscall: 'connect' },
    { code: 'EAI_AGAIN' },
    { code: 'UND_ERR_CONNECT_TIMEOUT' },
    { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    { code: 'CERT_HAS_EXPIRED' },
    { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
    { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  ])('when the cause is %o', (members) => {
    expect(wasNotSent(caused(members))).toBe(true);
  });
});

describe('Deno says that a request was not sent', () => {
  it.each([
    'error sending request for url (http://127.0.0.1:9/a?b=c): client error (Connect): tcp connect error',
    'Fetch failed: Requests to port 9 are blocked',
  ])('with "%s"', (message) => {
    expect(wasNotSent(new TypeError(message))).toBe(true);
  });

  it.each([
    'error sending request for url (http://127.0.0.1:8/a): client error (SendRequest): connection closed',
    'error sending request for url (http://a/?q=):+client+error+(Connect):+): client error (SendRequest): closed',
  ])('not with "%s"', (message) => {
    expect(wasNotSent(new TypeError(message))).toBe(false);
  });
});

describe('a request may have arrived', () => {
  it.each([
    ['breaks the connection', breakConnection],
    ['closes it', replyWithRawBytes('')],
    ['does not speak HTTP', replyWithRawBytes('SSH-2.0-x\r\n')],
  ])('when the other side %s', async (_, responder) => {
    expect(wasNotSent(await failureAt((await serveScript(responder)).url))).toBe(false);
  });

  it.each([
    { code: 'ECONNRESET', syscall: 'read' },
    { code: 'EPIPE', syscall: 'write' },
    { code: 'ETIMEDOUT', syscall: 'read' },
    { code: 'EHOSTUNREACH', syscall: 'read' },
    // An alert can arrive after the request was sent, if the server requires a certificate.
    { code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' },
    { code: 'UND_ERR_SOCKET' },
    {},
  ])('when the cause is %o', (members) => {
    expect(wasNotSent(caused(members))).toBe(false);
  });

  it.each([undefined, null, 'text', 5])('when %o was thrown', (thrown) => {
    expect(wasNotSent(thrown)).toBe(false);
  });
});

describe('the reason of a failure', () => {
  it('is the innermost non-empty message', () => {
    expect(findInnermostMessage(caused({ code: 'ECONNRESET' }, 'read ECONNRESET'))).toBe('read ECONNRESET');
    expect(findInnermostMessage(caused({ code: 'ECONNRESET' }, ''))).toBe('ECONNRESET');
    expect(findInnermostMessage(caused({}, ''))).toBe('fetch failed');
    expect(findInnermostMessage('text')).toBe('no reason given');
  });

  it('is found in an endless chain of causes', () => {
    const error = new Error('round and round');
    error.cause = error;

    expect(findInnermostMessage(error)).toBe('round and round');
  });
});
