/** Columns of a fill in every table: side, quantity, price, value, slippage and fee. */
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
