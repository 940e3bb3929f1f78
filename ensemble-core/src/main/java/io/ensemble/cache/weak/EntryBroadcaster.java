package io.ensemble.cache.weak;

import io.ensemble.site.Bytes;

/** Sends an entry to every site in the background. */
@FunctionalInterface
interface EntryBroadcaster {

  void toAll(Bytes key, StampedEntry entry);
}
