package io.ensemble.catalog.record;

import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.record.CatalogException.Reason;
import io.ensemble.site.Bytes;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletionStage;

/**
 * The storage of a catalog: small texts by kind and name. Every call is atomic, and a read returns
 * at least the state at its beginning. Stages may complete on any thread and fail with {@link
 * CatalogException}. While the catalog is unavailable, or another one is in its place, every call
 * fails with {@link Reason#UNAVAILABLE}; no record counts as deleted then. Thread-safe.
 */
public interface CatalogRecords {

  /** The kind of a record. */
  enum Kind {
    /** A cache: its definition and its state. */
    CACHE("cache"),
    /** A site: its endpoints, credentials and state. */
    SITE("site"),
    /** A task that one process performs for all: its owner and the owner's heartbeat. */
    TASK("task"),
    /** A placement: the reasons for the sites of a cache. */
    PLACEMENT("placement");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    /** The kind as a part of paths. */
    public String word() {
      return word;
    }
  }

  /**
   * A record as it was read. No two of the same kind and name ever have the same text: the writer
   * ensures this with a growing or random number.
   *
   * @param text at most {@value #LONGEST} bytes
   * @param version the catalog's version of it
   */
  record VersionedRecord(Bytes text, long version) {}

  /** The longest text, in bytes. */
  int LONGEST = 512 * 1024;

  /** As {@link Definitions#id()}. */
  CompletionStage<String> id();

  /** The record; empty if there is none. */
  CompletionStage<Optional<VersionedRecord>> get(Kind kind, String name);

  /** The names of all records of a kind, sorted. */
  CompletionStage<SortedSet<String>> list(Kind kind);

  /**
   * Creates a record.
   *
   * @return false if there is one; nothing was changed
   */
  CompletionStage<Boolean> create(Kind kind, String name, Bytes text);

  /**
   * Replaces {@code seen} by another text.
   *
   * @return false if {@code seen} is not the present record; nothing was changed
   */
  CompletionStage<Boolean> replace(Kind kind, String name, VersionedRecord seen, Bytes text);

  /**
   * Deletes {@code seen}.
   *
   * @return false if {@code seen} is not the present record; nothing was changed
   */
  CompletionStage<Boolean> delete(Kind kind, String name, VersionedRecord seen);

  /** The location of a record, for messages. */
  String where(Kind kind, String name);
}
