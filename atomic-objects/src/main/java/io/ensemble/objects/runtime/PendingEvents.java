package io.ensemble.objects.runtime;

import io.ensemble.objects.store.ObjectStore.Entry;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The events of an object that have not been processed: the last event of the root, and one of each
 * mailbox. So their number is bounded, however long a method blocks the session. Thread-safe.
 */
final class PendingEvents {

  /**
   * The maximum number of senders, more than a combiner reads; the patience of further senders
   * ends.
   */
  private static final int MOST_SENDERS = 256;

  /**
   * The events received.
   *
   * @param changed whether the root may have changed
   * @param root the root, if the event reported it
   * @param mail the events of mailboxes, by the session of the mailbox
   */
  record Events(boolean changed, Optional<Entry> root, Map<UUID, Optional<Entry>> mail) {}

  private boolean changed;
  private Optional<Entry> root = Optional.empty();
  private Map<UUID, Optional<Entry>> mail = new LinkedHashMap<>();
  private boolean waiting;

  /** Adds an event of the root. True if no event was waiting before. */
  synchronized boolean root(Optional<Entry> entry) {
    changed = true;
    root = entry;
    return waits();
  }

  /** Adds an event of a mailbox. True if no event was waiting before. */
  synchronized boolean mail(UUID sender, Optional<Entry> entry) {
    if (mail.size() < MOST_SENDERS || mail.containsKey(sender)) {
      mail.put(sender, entry);
    }
    return waits();
  }

  /** Returns and removes all events. */
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
