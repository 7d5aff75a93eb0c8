import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflate } from '@sparticuz/chromium';

// The package unpacks into its process's temporary directory, so this program runs with a separate TMPDIR.
const folder = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '..', 'bin');
await Promise.all(
  ['chromium', 'swiftshader.tar', 'fonts.tar', 'al2023.tar'].map((name) => inflate(join(folder, `${name}.br`))),
);
