/** Sessions of the US stock exchanges, as `src/domain/market/session.ts` holds them. */
export function sessionAt(at: number): 'CLOSED' | 'PRE_MARKET' | 'REGULAR' | 'POST_MARKET';
