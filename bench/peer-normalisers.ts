/**
 * Peers' processing of one message from its bytes on, without a network: tardis-dev as its real-time stream does, ccxt through its own
 * socket client. Sockets, async generators and awaiting consumers are left out, as they are for ours.
 */
import { type CcxtExchange, ccxtExchange, type TardisMapper, type TardisMessage } from './peers.ts';

/**
 * The text, JSON.parse, then a mapper if it can handle that, with the time of receiving as a Date for each message. The stream
 * reads the clock for it, which is spared here.
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

/** Binance of ccxt, which knows these instruments against the dollar coin: its own reading of the venue's list of markets. */
export async function ccxtBinance(instruments: readonly string[]): Promise<CcxtExchange> {
  const exchange = await ccxtExchange('binance');
  // Answers of the venue that come with the list.
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

/** The perpetuals venue of ccxt, which knows the given coin. */
export async function ccxtHyperliquid(coin: string): Promise<CcxtExchange> {
  const exchange = await ccxtExchange('hyperliquid');
  exchange.setMarkets([exchange.parseMarket({ baseId: '0', name: coin, szDecimals: '5', maxLeverage: '40', markPx: '100000.0' })]);
  return exchange;
}
