/** The key that simulators of paid providers ask for; of no use anywhere else. */
export const SANDBOX_KEY = 'sandbox';
