package io.ensemble.catalog.record;

import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.record.CatalogException.Reason;
import io.ensemble.site.Bytes;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletionStage;

/**
 * Where a catalog is kept: small texts by kind and name. Every call is atomic, and reads are of
 * what was there when they began. Stages may complete on any thread and fail with {@link
 * CatalogException}. While the catalog is away, or another is in its place, every call fails with
 * {@link Reason#UNAVAILABLE}: nothing counts as deleted for that. Thread-safe.
 */
public interface CatalogRecords {

  /** What a record is of. */
  enum Kind {
    /** A cache: its definition, and what became of it. */
    CACHE("cache"),
    /** A site: where it is, and what is known of it. */
    SITE("site"),
    /** What one process does for all: who it is, and that it lives. */
    TASK("task"),
    /** A placement: why a cache is where it is. */
    PLACEMENT("placement");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    /** As it stands in paths. */
    public String word() {
      return word;
    }
  }

  /**
   * A record as it was read. No two of the same kind and name ever have the same text: whoever
   * writes one sees to that, with a number that grows or a random one.
   *
   * @param text at most {@value #LONGEST} bytes
   * @param version what the catalog knows it by
   */
  record Held(Bytes text, long version) {}

  /** How long a text may be. */
  int LONGEST = 512 * 1024;

  /** As {@link Definitions#id()}. */
  CompletionStage<String> id();

  /** The record; empty when there is none. */
  CompletionStage<Optional<Held>> get(Kind kind, String name);

  /** The names of all records of a kind, sorted. */
  CompletionStage<SortedSet<String>> list(Kind kind);

  /**
   * Makes a record.
   *
   * @return false when there is one; nothing was changed
   */
  CompletionStage<Boolean> create(Kind kind, String name, Bytes text);

  /**
   * Puts another text in the place of {@code seen}.
   *
   * @return false when that is not what is there; nothing was changed
   */
  CompletionStage<Boolean> replace(Kind kind, String name, Held seen, Bytes text);

  /**
   * Deletes {@code seen}.
   *
   * @return false when that is not what is there; nothing was changed
   */
  CompletionStage<Boolean> delete(Kind kind, String name, Held seen);

  /** Where a record is, for messages. */
  String where(Kind kind, String name);
}
