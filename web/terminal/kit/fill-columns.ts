/** Columns of a fill, and of a perpetual's margin, in every table. */
import type { Column } from './columns.tsx';

interface FillFigures {
  readonly side: string;
  readonly quantity: string;
  readonly fillPrice: string;
  readonly notionalUsd: string;
  readonly slippageBps: number;
  readonly feeUsd: string;
}

export const FILL_COLUMNS: readonly Column<FillFigures>[] = [
  { title: 'Side', isFigure: true, isText: true, side: ({ side }) => side },
  { title: 'Quantity', quantity: ({ quantity }) => quantity },
  { title: 'Price', isFigure: true, price: ({ fillPrice }) => fillPrice },
  { title: 'Value', isFigure: true, money: ({ notionalUsd }) => notionalUsd },
  { title: 'Slippage', text: ({ slippageBps }) => `${slippageBps.toFixed(2)} bps` },
  { title: 'Fee', money: ({ feeUsd }) => feeUsd },
];

interface Margined {
  readonly margin: { readonly marginUsd: string; readonly liquidationPrice: string | null } | null;
}

/** Returns the columns of margin, if any position has one. */
export const marginColumns = <Row extends Margined>(held: readonly Row[]): readonly Column<Row>[] =>
  held.some(({ margin }) => margin !== null)
    ? [
        { title: 'Margin', money: ({ margin }) => margin?.marginUsd },
        { title: 'Liquidation', price: ({ margin }) => margin?.liquidationPrice },
      ]
    : [];
