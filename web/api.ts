/** The bodies of the API, as the TypeScript client has them of the API document. For the type checker only. */
export type * from '../clients/typescript/src/api.ts';
