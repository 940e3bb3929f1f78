package io.ensemble.versioning.drive;

import java.util.Optional;
import java.util.regex.Pattern;

/** The purpose of an entry on a store of atomic objects and versioned caches, by its key. */
public enum StoredKeyKind {
  /** The record of a versioned cache. */
  CACHE_RECORD,
  /** The history of a key of a versioned cache. */
  HISTORY,
  /** Values or an index that a history refers to. */
  HISTORY_PART,
  /** The root of another atomic object. */
  OBJECT,
  /** A mailbox or a snapshot of an object or a history. */
  OBJECT_PART,
  /** Nothing that versioned caches or atomic objects write. */
  OTHER;

  private static final String OBJECTS = "object/";
  private static final String RECORDS = OBJECTS + "versioned/";
  private static final String HISTORIES = OBJECTS + "versions/";
  private static final String ID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";
  private static final Pattern PART =
      Pattern.compile(Pattern.quote(HistoryPartStore.PREFIX) + ID + "/[0-9]{1,19}");
  private static final Pattern MAILBOX_OR_SNAPSHOT =
      Pattern.compile("mailbox/" + ID + "/" + ID + "|snapshot/" + ID);

  /** The purpose of the entry under {@code key}, if a versioned cache or an object wrote it. */
  public static StoredKeyKind of(String key) {
    if (key.startsWith(RECORDS)) {
      return CACHE_RECORD;
    }
    if (key.startsWith(HISTORIES) && key.indexOf('/', HISTORIES.length()) > 0) {
      return HISTORY;
    }
    if (key.startsWith(OBJECTS)) {
      return OBJECT;
    }
    if (PART.matcher(key).matches()) {
      return HISTORY_PART;
    }
    return MAILBOX_OR_SNAPSHOT.matcher(key).matches() ? OBJECT_PART : OTHER;
  }

  /** The versioned cache whose record or history is under {@code key}; empty for other entries. */
  public static Optional<String> cacheOf(String key) {
    return switch (of(key)) {
      case CACHE_RECORD -> Optional.of(key.substring(RECORDS.length()));
      case HISTORY ->
          Optional.of(key.substring(HISTORIES.length(), key.indexOf('/', HISTORIES.length())));
      default -> Optional.empty();
    };
  }
}
