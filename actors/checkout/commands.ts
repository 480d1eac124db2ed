/** Commands of checkouts, as the API calls them. */

/** Message for a checkout that does not exist. */
export const NO_CHECKOUT = 'there is no checkout with this id';
