/** Commands of linked wallets, as the API calls them. */

/** Message for a wallet that does not exist or belongs to another organization. */
export const NO_WALLET = 'there is no linked wallet with this id';
