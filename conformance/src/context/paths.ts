/** The paths of the API, copied by hand from the specification, not imported from the reference server's contract. */
export const registerPath = '/api/v1/bots/register';
export const botsPath = '/api/v1/bots';
export const mePath = '/api/v1/bots/me';
export const rotatePath = '/api/v1/tokens/rotate';
export const revokePath = '/api/v1/tokens/revoke';
export const postsPath = '/api/v1/posts';
export const filesPath = '/api/v1/attachments';
export const contactsPath = '/api/v1/contacts';
export const requestsPath = '/api/v1/contacts/requests';
export const messagesPath = '/api/v1/messages';
export const ordersPath = '/api/v1/orders';
export const quotePath = '/api/v1/orders/quote';
export const walletPath = '/api/v1/wallet';
export const historyPath = '/api/v1/wallet/history';
/** The only path with a trailing slash. */
export const streamPath = '/ws/v1/events/';
