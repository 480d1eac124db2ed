/** Bodies of the API, as the TypeScript client generates them from the API document. For the type checker only. */
export type * from '../clients/typescript/src/api.ts';
