/** Range of a replay's speed for clients: seconds of the tape per second. */
export const LEAST_SPEED = 0.01;
export const MOST_SPEED = 100_000;
