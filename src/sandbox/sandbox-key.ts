/** API key that simulators of paid providers require. It is valid only in the sandbox. */
export const SANDBOX_KEY = 'sandbox';
