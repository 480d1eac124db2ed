/** Pages of a list, shared by the API and its store. */

/** Requested page: at most `limit` items after the position `after`, or from the first if null. */
export interface Page {
  readonly limit: number;
  readonly after: string | null;
}

/** A page. `next` is the position of its last item if more items follow, else null. */
export interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}
