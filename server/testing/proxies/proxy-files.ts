import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CertificateFiles } from './certificate.ts';

export const proxyKinds = ['nginx', 'haproxy', 'caddy'] as const;
export type ProxyKind = (typeof proxyKinds)[number];

/** The values that differ between a test and an operator's machine. */
export interface ProxyFileValues {
  readonly folder: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** The port of the site that responds when no server is available. */
  readonly sparePort: number;
  readonly certificate: CertificateFiles;
  /** Host and port of each server. */
  readonly servers: readonly string[];
}

interface ProxyProgram {
  readonly name: string;
  readonly file: string;
  readonly adapt: (text: string, place: ProxyFileValues) => string;
  readonly args: (file: string) => readonly string[];
}

/** Tests use the configuration files that operators copy. */
export const proxyPrograms: Readonly<Record<ProxyKind, ProxyProgram>> = {
  nginx: { name: 'nginx', file: 'nginx.conf', adapt: adaptNginx, args: (file) => ['-e', 'stderr', '-c', file] },
  haproxy: { name: 'HAProxy', file: 'haproxy.cfg', adapt: adaptHaproxy, args: (file) => ['-db', '-f', file] },
  caddy: {
    name: 'Caddy',
    file: 'Caddyfile',
    adapt: adaptCaddy,
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
};

/** Replaces names, ports and servers in the file from `deploy/` with those of a test. */
export function readProxyFile(kind: ProxyKind, place: ProxyFileValues): string {
  const { file, adapt } = proxyPrograms[kind];
  return adapt(readFileSync(new URL(`../../../deploy/${file}`, import.meta.url), 'utf8'), place);
}

function adaptHaproxy(text: string, { httpPort, httpsPort, certificate, servers }: ProxyFileValues): string {
  const [listed, line] = ['  server one 127.0.0.1:8080\n', (name: string, at: number) => `  server s${at} ${name}\n`];
  const withServers = text.replaceAll(listed, servers.map(line).join(''));
  return replaceAll(withServers, [
    // Only root may change the root folder and the user.
    ['  chroot /var/lib/haproxy\n  user haproxy\n  group haproxy\n', ''],
    ['bind :80', `bind 127.0.0.1:${httpPort}`],
    ['bind :443', `bind 127.0.0.1:${httpsPort}`],
    ['/etc/haproxy/agents.pem', certificate.both],
  ]);
}

function adaptNginx(text: string, { folder, httpPort, httpsPort, certificate, servers }: ProxyFileValues): string {
  const upstream = /^ {2}server 127\.0\.0\.1:8080( .*;)\n/m.exec(text);
  const adapted = replaceAll(text, [
    ['listen 80;', `listen 127.0.0.1:${httpPort};`],
    ['listen 443 ', `listen 127.0.0.1:${httpsPort} `],
    ['/etc/ssl/agents/fullchain.pem', certificate.chain],
    ['/etc/ssl/agents/privkey.pem', certificate.key],
    ['/var/log/nginx/agents.log', join(folder, 'agents.log')],
    [upstream?.[0] ?? 'a server', servers.map((server) => `  server ${server}${upstream?.[1]}\n`).join('')],
  ]);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  );
  // On a real system, the distribution's nginx.conf contains these directives and includes this file.
  return `daemon off;
pid ${join(folder, 'nginx.pid')};
events { worker_connections 768; }
http {
${temporary.join('\n')}
${adapted}
}
`;
}

function adaptCaddy(text: string, { httpPort, httpsPort, sparePort, certificate, servers }: ProxyFileValues): string {
  const adapted = replaceAll(text, [
    ['agents.example.org {', `https://localhost:${httpsPort} {\n\ttls ${certificate.chain} ${certificate.key}`],
    ['reverse_proxy 127.0.0.1:8080 {', `reverse_proxy ${servers.join(' ')} {`],
    ['@unready 127.0.0.1:8080 127.0.0.1:8079 {', `@unready ${servers.join(' ')} 127.0.0.1:${sparePort} {`],
    ['http://:8079 {', `http://:${sparePort} {`],
  ]);
  const redirect = `http://localhost:${httpPort} {\n\tredir https://{host}{uri} 308\n}\n`;
  return `{\n\tadmin off\n\tauto_https off\n}\n${redirect}${adapted}`;
}

/** Each text must occur exactly once. */
function replaceAll(text: string, replacements: readonly (readonly [from: string, to: string])[]): string {
  return replacements.reduce((before, [from, to]) => {
    const [start = '', end = '', ...more] = before.split(from);
    if (before === start || more.length > 0) throw new Error(`The file does not have "${from}" exactly once.`);
    return start + to + end;
  }, text);
}
