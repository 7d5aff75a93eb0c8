// Methods, options and objects of the SDK and requests of the API, which a user of the command line does not call.
const sdkNames =
  /\bcredential store\b|\b[a-z]+\.[a-z]\w*\(|\b(?:bytes|memoryState|saveTo|trustKey)\(|\b(?:allowPlainHttp|keyPair|pollEveryMs|wsUrl)\b|\b(?:GET|POST|PUT|PATCH|DELETE) \//;

/**
 * Leaves out the parts of a message that name a method or an option of the SDK, or a request of the API; the hint of the failure names a
 * command instead. Options that this program has too get their names here. A message that consists of nothing else stays
 * as it is.
 */
export function withoutSdkNames(message: string): string {
  const kept = message
    .replaceAll(/\bbaseUrl\b/g, '--base-url')
    .replaceAll(/\btimeoutMs\b/g, '--timeout')
    .split(/(?<=[.!?])\s+/)
    .map((sentence) => keepClauses(sentence))
    .filter((sentence) => sentence !== '');
  return kept.length === 0 ? message : kept.join(' ');
}

function keepClauses(sentence: string): string {
  const clauses = sentence.split(/;\s+/);
  const kept = clauses.filter((clause) => !sdkNames.test(clause));
  if (kept.length === clauses.length) return sentence;
  return kept.length === 0 ? '' : `${kept.join('; ').replace(/[.!?]$/, '')}.`;
}
