/** View: which of two sources of one instrument is used, and whose heartbeat keeps a quiet one live. */
import { describe, expect, it } from 'vitest';
import { createMarketView } from '../../streams/market-view.ts';
import { heartbeat, quote, REGULAR, status } from './events.ts';

const T = REGULAR;
const HYPERLIQUID = { venue: 'evmvenue', instrument: 'BTC' } as const;

describe('the market view', () => {
  it('keeps the newer of two sources of one instrument', () => {
    const view = createMarketView();
    view.apply(quote(T, { ...HYPERLIQUID, source: 'hyperliquid:bbo', ask: '102' }));
    expect(view.apply(quote(T + 10, { ...HYPERLIQUID, source: 'hyperliquid:l2Book', observedAt: T - 1 }))).toBe(false);
    expect(view.quoteAt('evmvenue:BTC', T + 10)?.ask).toBe('102');
    expect(view.apply(quote(T + 20, { ...HYPERLIQUID, source: 'hyperliquid:l2Book', observedAt: T }))).toBe(true);
  });

  it('does not let a silent source block another after the venue set its clock back', () => {
    const view = createMarketView();
    view.apply(quote(T, { ...HYPERLIQUID, source: 'hyperliquid:bbo', ask: '102' }));
    const back = (at: number) => quote(at, { ...HYPERLIQUID, source: 'hyperliquid:l2Book', observedAt: at - 3_600_000 });
    expect(view.apply(back(T + 5_000))).toBe(false);
    expect(view.apply(back(T + 5_001))).toBe(true);
    expect(view.quoteAt('evmvenue:BTC', T + 5_001)).toMatchObject({ source: 'hyperliquid:l2Book', quality: 'stale' });
  });

  it('lets a live socket keep a quiet instrument live if the venue sends only changes', () => {
    const view = createMarketView();
    view.apply(status(T, 'connected'));
    view.apply(quote(T, { sourceTime: false }));
    view.apply(heartbeat(T + 60_000));
    expect(view.quoteAt('spotexchange:BTCUSDT', T + 60_000)?.quality).toBe('live');
  });

  it('does not let a socket keep a coin live whose regularly sent book has stopped', () => {
    for (const source of ['hyperliquid:bbo', 'hyperliquid:l2Book']) {
      const view = createMarketView();
      view.apply(status(T, 'connected', { venue: 'evmvenue', source: 'hyperliquid' }));
      view.apply(quote(T, { ...HYPERLIQUID, source }));
      view.apply(quote(T + 5_001, { venue: 'evmvenue', instrument: 'ETH', source }));
      view.apply(heartbeat(T + 5_001, { venue: 'evmvenue', source: 'hyperliquid' }));
      expect(view.quoteAt('evmvenue:BTC', T + 5_000)?.quality).toBe('live');
      expect(view.quoteAt('evmvenue:BTC', T + 5_001)).toMatchObject({ quality: 'stale', flags: ['over_age'] });
      expect(view.quoteAt('evmvenue:ETH', T + 5_001)?.quality).toBe('live');
    }
  });
});
