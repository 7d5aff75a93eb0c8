import type { Manifest } from '../../../backup/repository/manifest.ts';

export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length);
  return `${(bytes / 2 ** (10 * power)).toFixed(1)} ${units[power - 1]}`;
}

export function summarizeBackup(manifest: Manifest) {
  const { name, created_at, server_version, database, tables, files, lost_files } = manifest;
  return {
    name,
    created_at,
    server_version,
    database: database.kind,
    rows: tables.reduce((sum, table) => sum + table.rows, 0),
    table_bytes: tables.reduce((sum, table) => sum + table.bytes, 0),
    files: files.count,
    file_bytes: files.bytes,
    lost_files: lost_files.length,
  };
}
