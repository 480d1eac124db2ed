/** Types of the sessions of US stock exchanges in `src/domain/market/session.ts`. */
export function sessionAt(at: number): 'CLOSED' | 'PRE_MARKET' | 'REGULAR' | 'POST_MARKET';
