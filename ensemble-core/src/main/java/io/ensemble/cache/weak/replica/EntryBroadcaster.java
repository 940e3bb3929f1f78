package io.ensemble.cache.weak.replica;

import io.ensemble.cache.weak.entry.StampedEntry;
import io.ensemble.site.Bytes;

/** Sends an entry to every site in the background. */
@FunctionalInterface
public interface EntryBroadcaster {

  void toAll(Bytes key, StampedEntry entry);
}
