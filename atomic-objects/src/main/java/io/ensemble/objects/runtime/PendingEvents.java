package io.ensemble.objects.runtime;

import io.ensemble.objects.store.ObjectStore.Entry;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The events of an object that nobody has taken yet: of the root the last one, and one of each
 * mailbox. So they are few, however long a method holds the session up. Thread-safe.
 */
final class PendingEvents {

  /** From more senders than a combiner looks at, the others' patience is relied on. */
  private static final int MOST_SENDERS = 256;

  /**
   * What was heard.
   *
   * @param changed whether the root may have changed
   * @param root what it is, if that was told
   * @param mail of mailboxes, by whose they are
   */
  record Events(boolean changed, Optional<Entry> root, Map<UUID, Optional<Entry>> mail) {}

  private boolean changed;
  private Optional<Entry> root = Optional.empty();
  private Map<UUID, Optional<Entry>> mail = new LinkedHashMap<>();
  private boolean waiting;

  /** Returns whether nothing waited to be taken before. */
  synchronized boolean root(Optional<Entry> entry) {
    changed = true;
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
    Events taken = new Events(changed, root, mail);
    changed = false;
    root = Optional.empty();
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
