/** Cells of a fill in every table: side, quantity, price, value, slippage and fee. */
import { priceText } from '../../words.js';
import { Money, Price } from './numbers.tsx';

interface FillFigures {
  readonly side: string;
  readonly quantity: string;
  readonly fillPrice: string;
  readonly notionalUsd: string;
  readonly slippageBps: number;
  readonly feeUsd: string;
}

export function FillCells({ fill: { side, quantity, fillPrice, notionalUsd, slippageBps, feeUsd } }: { readonly fill: FillFigures }) {
  return (
    <>
      <td className={`text ${side === 'buy' ? 'up' : 'down'}`}>{side}</td>
      <td className="num" title={quantity}>
        {priceText(quantity)}
      </td>
      <td>
        <Price price={fillPrice} />
      </td>
      <td>
        <Money usd={notionalUsd} />
      </td>
      <td className="num">{slippageBps.toFixed(2)} bps</td>
      <td>
        <Money usd={feeUsd} />
      </td>
    </>
  );
}
