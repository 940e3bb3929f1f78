package io.ensemble.cache.weak;

import io.ensemble.site.Bytes;
import io.ensemble.site.StoredEntry;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/** The memory of one site, which clients reach through {@link FakeStore}s. */
final class FakeSiteMemory {

  enum Mode {
    /** Performs and answers. */
    UP,
    /** Loses connections: nothing is performed, which a client cannot find out. */
    GONE,
    /** Refuses connections: nothing is sent, and the failure says so. */
    REFUSING,
    /** Neither performs nor answers. */
    SILENT,
    /** Performs and does not answer. */
    MUTE,
    /** Reports that it is overloaded. */
    BUSY
  }

  final String name;
  final Map<Bytes, StoredEntry> entries = new LinkedHashMap<>();
  Mode mode = Mode.UP;

  /** Called with each entry that is stored. */
  BiConsumer<Bytes, Bytes> onStore = (key, value) -> {};

  private long versions = 100;

  FakeSiteMemory(String name) {
    this.name = name;
  }

  void store(Bytes key, Bytes value) {
    entries.put(key, new StoredEntry(value, versions += 7));
    onStore.accept(key, value);
  }
}
