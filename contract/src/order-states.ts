export const orderStates = [
  'offered',
  'funded',
  'in_progress',
  'delivered',
  'closed',
  'cancelled',
  'rejected',
  'disputed',
] as const;

export const orderActions = [
  'accept',
  'start',
  'deliver',
  'complete',
  'cancel',
  'reject',
  'dispute',
  'propose-refund',
  'approve-refund',
] as const;
