package io.ensemble.objects.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.objects.store.ObjectStore;
import java.util.Optional;
import java.util.UUID;
import org.infinispan.commons.util.CloseableIterator;
import org.infinispan.commons.util.IteratorMapper;

/** The keys under which the entries of objects are stored. */
public final class ObjectKeys {

  /** The maximum length of an object's name, in characters. */
  public static final int LONGEST_NAME = 1000;

  private static final String ROOT = "object/";
  private static final String MAILBOX = "mailbox/";
  private static final String SNAPSHOT = "snapshot/";

  private ObjectKeys() {}

  /** Throws {@link IllegalArgumentException} if an object cannot have that name. */
  public static String checked(String name) {
    if (name.isEmpty() || name.length() > LONGEST_NAME) {
      throw new IllegalArgumentException(
          "a name must have 1 to " + LONGEST_NAME + " characters; got " + name.length());
    }
    if (!UTF_8.newEncoder().canEncode(name)) { // stores would take it for another name
      throw new IllegalArgumentException("a name must not contain unpaired surrogates");
    }
    return name;
  }

  /** Whether an entry under this key belongs to an object, or would. */
  public static boolean isOfObject(String key) {
    return key.startsWith(ROOT) || key.startsWith(MAILBOX) || key.startsWith(SNAPSHOT);
  }

  /** The key of an object's root. */
  public static String root(String name) {
    return ROOT + name;
  }

  /**
   * The names of objects with this prefix, in the order of {@link ObjectStore#keys}; includes
   * objects that were disposed of. Does not support removal.
   */
  public static CloseableIterator<String> names(ObjectStore store, String prefix) {
    return new IteratorMapper<>(store.keys(root(prefix)), key -> key.substring(ROOT.length())) {
      @Override
      public void remove() { // The store reads ahead and could remove another entry.
        throw new UnsupportedOperationException(
            "objects must be disposed of, not removed by an iterator");
      }
    };
  }

  static String mailbox(UUID birth, UUID session) {
    return MAILBOX + birth + "/" + session;
  }

  static String snapshot(UUID snapshot) {
    return SNAPSHOT + snapshot;
  }

  /**
   * The subject of an event: the root key of an object, or the prefix of the keys of its mailboxes.
   */
  public static Optional<String> concerned(String key) {
    if (key.startsWith(ROOT)) {
      return Optional.of(key);
    }
    return key.startsWith(MAILBOX) && key.lastIndexOf('/') > MAILBOX.length()
        ? Optional.of(key.substring(0, key.lastIndexOf('/')))
        : Optional.empty();
  }

  /** The session whose mailbox an event concerns; empty if it concerns none. */
  public static Optional<UUID> sender(String key) {
    if (!key.startsWith(MAILBOX)) {
      return Optional.empty();
    }
    try {
      return Optional.of(UUID.fromString(key.substring(key.lastIndexOf('/') + 1)));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** The value that {@link #concerned} returns for an event at a mailbox. */
  public static String mailboxes(UUID birth) {
    return MAILBOX + birth;
  }
}
