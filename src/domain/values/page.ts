/** A window into a list, and the page that it shows: what every list of the API and its store share. */

/** A window into a list: at most `limit` items beyond the position `after`; null begins at the first. */
export interface Page {
  readonly limit: number;
  readonly after: string | null;
}

/** One page. `next` is the position of its last item where more items follow, else null. */
export interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}
