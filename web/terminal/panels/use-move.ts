/** Direction of the last price change, for a short colour flash. */
import { useRef } from 'react';

export function useMove(price: string | null): 'up' | 'down' | 'none' {
  const last = useRef<{ price: string | null; move: 'up' | 'down' | 'none' }>({ price, move: 'none' });
  if (price !== last.current.price) {
    const [before, now] = [Number(last.current.price), Number(price)];
    last.current = { price, move: last.current.price === null || before === now ? 'none' : now > before ? 'up' : 'down' };
  }
  return last.current.move;
}
