/**
 * Peers' processing of one message from its bytes, without a network: tardis-dev as its real-time stream does, ccxt through its own
 * socket client. Sockets, async generators and awaiting consumers are left out, for ours too.
 */
import { type CcxtExchange, ccxtExchange, type TardisMapper, type TardisMessage } from './peers.ts';

/**
 * Reads with tardis-dev: text, JSON.parse, and a mapper if it can handle the message, with its receive time as a Date. The stream's
 * clock read per message is left out.
 */
export function tardisReading(mapper: TardisMapper, heardAt: number): (frame: Buffer) => TardisMessage | null {
  return (frame) => {
    const message: unknown = JSON.parse(frame.toString('utf8'));
    const at = new Date(heardAt);
    let last: TardisMessage | null = null;
    if (mapper.canHandle(message)) for (const mapped of mapper.map(message, at)) last = mapped;
    return last;
  };
}

/** Reads with CCXT: its client parses the message and hands it to the exchange, which keeps the result. */
export function ccxtReading(exchange: CcxtExchange, url: string): (frame: Buffer) => void {
  const client = exchange.client(url);
  return (frame) => client.onMessage({ data: frame });
}

/** Creates ccxt's Binance with these instruments against the stablecoin, by its own parser of the market list. */
export async function ccxtBinance(instruments: readonly string[]): Promise<CcxtExchange> {
  const exchange = await ccxtExchange('binance');
  // Answers of the venue that the market list needs.
  Object.assign(exchange.options, { crossMarginPairsData: [], isolatedMarginPairsData: [] });
  const filters = [
    { filterType: 'PRICE_FILTER', minPrice: '0.00000001', maxPrice: '1000000.00000000', tickSize: '0.00000001' },
    { filterType: 'LOT_SIZE', minQty: '0.00000001', maxQty: '9000.00000000', stepSize: '0.00000001' },
    { filterType: 'NOTIONAL', minNotional: '5.00000000', maxNotional: '9000000.00000000' },
  ];
  const market = { status: 'TRADING', quoteAsset: 'USDT', baseAssetPrecision: 8, quotePrecision: 8, permissions: ['SPOT'], filters };
  exchange.setMarkets(instruments.map((symbol) => exchange.parseMarket({ ...market, symbol, baseAsset: symbol.slice(0, -'USDT'.length) })));
  return exchange;
}

/** Creates ccxt's perpetuals venue with the given coin. */
export async function ccxtHyperliquid(coin: string): Promise<CcxtExchange> {
  const exchange = await ccxtExchange('hyperliquid');
  exchange.setMarkets([exchange.parseMarket({ baseId: '0', name: coin, szDecimals: '5', maxLeverage: '40', markPx: '100000.0' })]);
  return exchange;
}
