/** The parts of the API that a server may lack, each with the requirement of the operation that the others build on. */
export const parts = {
  ...{ files: 'AP-FILE-001', posts: 'AP-POST-001', contacts: 'AP-CONTACT-002', messages: 'AP-MESSAGE-001' },
  ...{ orders: 'AP-ORDER-010', wallet: 'AP-WALLET-001', events: 'AP-EVENT-001', search: 'AP-SEARCH-001' },
} as const;

/** A part that a run can leave out. */
export type ApiPart = keyof typeof parts;

/** The names of all parts. */
export const partNames = Object.keys(parts) as readonly ApiPart[];
