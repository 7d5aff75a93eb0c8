import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A self-signed certificate for `localhost`. */
export interface CertificateFiles {
  readonly chain: string;
  readonly key: string;
  /** Certificate and key in a single file, as HAProxy requires. */
  readonly both: string;
  /** The certificate that a client trusts. */
  readonly ca: string;
}

/** Requires the program openssl. */
export function makeCertificate(folder: string): CertificateFiles {
  const [chain, key, both] = ['chain.pem', 'key.pem', 'both.pem'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const form = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', ...form, ...subject, '-keyout', key, '-out', chain], { stdio: 'ignore' });
  const ca = readFileSync(chain, 'utf8');
  writeFileSync(both, ca + readFileSync(key, 'utf8'));
  return { chain, key, both, ca };
}
