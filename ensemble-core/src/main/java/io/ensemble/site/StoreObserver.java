package io.ensemble.site;

/** Receives what a store reports of its entries. Called on any thread; must be quick. */
public interface StoreObserver {

  /**
   * The store has, or had, this entry. Reports are hints: some may be missing, repeated or late.
   * Those of one key come in the order of its writes, except after an interruption.
   */
  void stored(Bytes key, Bytes value);

  /** Reports may be missing from some time before now on; no further ones may follow. */
  void interrupted();
}
