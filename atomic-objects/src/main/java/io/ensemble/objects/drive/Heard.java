package io.ensemble.objects.drive;

import io.ensemble.objects.store.ObjectStore.Entry;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The events of an object that nobody has taken yet: of the root the last one, and one of each
 * mailbox. So they are few, however long a method holds the session up. Thread-safe.
 */
final class Heard {

  /** From more senders than a combiner looks at, the others' patience is relied on. */
  private static final int MOST_SENDERS = 256;

  /**
   * What was heard.
   *
   * @param root of the root, if anything; empty within if it was not told what it is
   * @param mail of mailboxes, by whose they are
   */
  record Events(@Nullable Optional<Entry> root, Map<UUID, Optional<Entry>> mail) {}

  private @Nullable Optional<Entry> root;
  private Map<UUID, Optional<Entry>> mail = new LinkedHashMap<>();
  private boolean waiting;

  /** Returns whether nothing waited to be taken before. */
  synchronized boolean root(Optional<Entry> entry) {
    root = entry;
    return waits();
  }

  /** Returns whether nothing waited to be taken before. */
  synchronized boolean mail(UUID sender, Optional<Entry> entry) {
    if (mail.size() < MOST_SENDERS || mail.containsKey(sender)) {
      mail.put(sender, entry);
    }
    return waits();
  }

  /** Takes all. */
  synchronized Events all() {
    Events taken = new Events(root, mail);
    root = null;
    mail = new LinkedHashMap<>();
    waiting = false;
    return taken;
  }

  private boolean waits() {
    boolean first = !waiting;
    waiting = true;
    return first;
  }
}
