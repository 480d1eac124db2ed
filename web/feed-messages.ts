/** The messages of the feed, as the TypeScript client has them of the feed's document. For the type checker only. */
export type * from '../clients/typescript/src/feed-messages.ts';
