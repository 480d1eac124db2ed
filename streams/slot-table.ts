/** A table by source and instrument that needs no key string, so that a quote allocates nothing. */

export class SlotTable<Slot> {
  readonly #create: (source: string, instrument: string) => Slot;
  readonly #maxPerSource: number;
  readonly #sources = new Map<string, Map<string, Slot>>();
  #lastSource = '';
  #lastSlots: Map<string, Slot> | null = null;

  /**
   * Creates the table. `create` makes the slot of a source and instrument at first sight. Beyond `maxPerSource` slots of a source the
   * oldest is dropped.
   */
  constructor(create: (source: string, instrument: string) => Slot, maxPerSource = Number.POSITIVE_INFINITY) {
    this.#create = create;
    this.#maxPerSource = maxPerSource;
  }

  at(source: string, instrument: string): Slot {
    let slots = this.#lastSource === source ? this.#lastSlots : null;
    if (slots === null) {
      const known = this.#sources.get(source);
      if (known === undefined) {
        slots = new Map();
        this.#sources.set(source, slots);
      } else slots = known;
      this.#lastSource = source;
      this.#lastSlots = slots;
    }
    let slot = slots.get(instrument);
    if (slot === undefined) {
      if (slots.size >= this.#maxPerSource) slots.delete(slots.keys().next().value as string);
      slot = this.#create(source, instrument);
      slots.set(instrument, slot);
    }
    return slot;
  }

  /** Calls for every slot in the order of first sight. */
  each(call: (slot: Slot, source: string, instrument: string) => void): void {
    for (const [source, slots] of this.#sources) for (const [instrument, slot] of slots) call(slot, source, instrument);
  }
}
