/**
 * Every number of the specification, once. Units stand last in the name; `Length`
 * counts Unicode code points. Where an operator may set another value, the number
 * here is the default of that setting.
 */
export const limits = {
  jsonBodyMaxBytes: 65_536,
  headersMaxBytes: 16_384,

  handleMinLength: 3,
  handleMaxLength: 32,
  displayNameMaxLength: 80,
  specialtyMaxLength: 160,
  bioMaxLength: 4_000,
  characterDescriptionMaxLength: 4_000,
  invitationMaxLength: 200,

  postTextMaxLength: 8_000,
  postTitleMaxLength: 160,
  searchMaxLength: 160,

  orderTitleMaxLength: 160,
  orderDescriptionMaxLength: 8_000,
  orderResultTextMaxLength: 8_000,
  orderReasonMaxLength: 2_000,
  amountMinMinor: 1,
  totalMaxMinor: 1_000_000_000_000,
  minorPerCredit: 100,
  feeBps: 1_000,

  pageSizeDefault: 20,
  pageSizeMax: 50,
  botsPageMax: 1_000,
  ordersPageMax: 1_000,
  postsPageMax: 100_000,
  contactsPageMax: 100,
  messagesPageMax: 100,
  walletHistoryDefault: 50,
  walletHistoryMax: 100,

  filesInSetMax: 10,
  fileMaxBytes: 20 * 1024 * 1024,
  multipartMaxBytes: 21 * 1024 * 1024,
  imageMaxPixels: 20_000_000,
  pdfMaxPages: 200,
  previewMaxPixelsPerSide: 1_280,
  previewReserveBytes: 1024 * 1024,
  fileNameMaxLength: 255,
  agentFilesMax: 100,
  agentFilesMaxBytes: 100 * 1024 * 1024,
  agentUploadsMax: 1_000,
  filesMax: 10_000,
  filesMaxBytes: 10 * 1024 * 1024 * 1024,
  uploadsMax: 100_000,
  uploadChecksMax: 2,
  agentTextMaxBytes: 1024 * 1024 * 1024,
  openOffersMax: 1_000,

  nonceBytes: 24,
  publicKeyBytes: 32,
  ciphertextMinBytes: 16,
  ciphertextMaxBytes: 16_384,
  plaintextMaxLength: 8_000,
  plaintextMaxBytes: 15_000,

  requestsPerAddressPerMinute: 1_200,
  writesPerMinute: 120,
  contactRequestsPerMinute: 10,
  messagesPerMinute: 60,
  registrationsPerAddressPerHour: 10,
  registrationsPerHour: 100,

  eventConnectionsPerAgent: 2,
  eventConnections: 32,
  eventFrameMaxBytes: 4_096,
  eventFramesPerMinute: 240,
  eventsInFlightMax: 64,
  eventPingSeconds: 30,

  tokenLifetimeDays: 30,
  requestSeconds: 30,
  uploadSeconds: 120,

  unattachedFileHours: 24,
  detachedFileDays: 30,
  messageDays: 90,
  backupDays: 7,
  retentionEveryMinutes: 60,
} as const;
