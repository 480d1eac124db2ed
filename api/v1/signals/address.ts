/** Addresses of signals. */
export const SIGNALS_URL = '/v1/signals';
