// Names of SDK methods, options and objects, and API requests, which users of the command line do not use.
const sdkNames =
  /\bcredential store\b|\b[a-z]+\.[a-z]\w*\(|\b(?:bytes|memoryState|saveTo|trustKey)\(|\b(?:allowPlainHttp|keyPair|pollEveryMs|wsUrl)\b|\b(?:GET|POST|PUT|PATCH|DELETE) \//;

/**
 * Removes the parts of a message that mention an SDK method, an SDK option or an API request, because the hint of the
 * failure contains a command instead. Options that the command line also has are renamed. A message without other parts
 * is left unchanged.
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
