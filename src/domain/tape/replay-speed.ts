/** Minimum speed of a replay for clients, in seconds of the tape per second. `MOST_SPEED` is the maximum. */
export const LEAST_SPEED = 0.01;
export const MOST_SPEED = 100_000;
