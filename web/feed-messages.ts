/** Messages of the feed, as the TypeScript client generates them from the feed's document. For the type checker only. */
export type * from '../clients/typescript/src/feed-messages.ts';
