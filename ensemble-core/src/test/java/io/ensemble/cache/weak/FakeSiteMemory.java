package io.ensemble.cache.weak;

import io.ensemble.site.Bytes;
import io.ensemble.site.StoredEntry;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/** The memory of one site; {@link FakeStore}s are the ways to it. */
final class FakeSiteMemory {

  enum Mode {
    /** Answers. */
    UP,
    /** Loses connections: nothing is performed, which nobody can know. */
    GONE,
    /** Refuses connections: nothing is sent, as is known. */
    REFUSING,
    /** Neither performs nor answers. */
    SILENT,
    /** Performs and does not answer. */
    MUTE,
    /** Has too much to do. */
    BUSY
  }

  final String name;
  final Map<Bytes, StoredEntry> entries = new LinkedHashMap<>();
  Mode mode = Mode.UP;

  /** Told of every entry that is stored. */
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
