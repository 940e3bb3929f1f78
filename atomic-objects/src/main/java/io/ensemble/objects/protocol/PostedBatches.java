package io.ensemble.objects.protocol;

import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.SessionEntry;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The batches that other sessions have posted, as far as a combiner has received them: from their
 * mailboxes or from an event. Both ways deliver the batch as its session wrote it, and it is
 * applied once, whichever session applies it.
 */
final class PostedBatches {

  /** If events report posts, a session without a batch for this number of steps is not polled. */
  private static final int ASKED_STEPS = 32;

  private final ProtocolSettings protocolSettings;
  private final Set<UUID> senders = new LinkedHashSet<>();
  private final Map<UUID, CallBatch> batches = new LinkedHashMap<>();

  PostedBatches(ProtocolSettings protocolSettings) {
    this.protocolSettings = protocolSettings;
  }

  /** A session may have posted: its mailbox is read next. */
  void from(UUID session) {
    if (senders.size() < protocolSettings.watched()) {
      senders.add(session);
    }
  }

  /** Adds a posted batch, which may be old. */
  void add(CallBatch batch) {
    CallBatch before = batches.get(batch.session());
    boolean newer = before == null || before.number() < batch.number() || !sameLife(before, batch);
    if (before == null && batches.size() >= protocolSettings.members()) {
      from(batch.session()); // Its mailbox is read when there is room.
    } else if (newer) {
      batches.put(batch.session(), batch);
    }
  }

  /** Removes the batches that the root has applied, or can never apply. */
  void settle(ObjectRoot root) {
    batches.values().removeIf(b -> root.standing(b) != ObjectRoot.Standing.NEW);
  }

  /** The received batches, in the order of their arrival. */
  List<CallBatch> batches() {
    return List.copyOf(batches.values());
  }

  /**
   * The mailboxes to read next: of sessions that are reported to have posted, and of the most
   * recently active sessions.
   *
   * @param hasEvents whether events report posts
   */
  List<UUID> mailboxes(@Nullable ObjectRoot root, UUID me, boolean hasEvents) {
    Collection<SessionEntry> members = root == null ? List.of() : root.members();
    long since = hasEvents && root != null ? root.sequence() - ASKED_STEPS : 0;
    Stream<UUID> activeSessions =
        members.stream()
            .filter(m -> m.sequence() >= since && !m.session().equals(me))
            .sorted(Comparator.comparingLong(SessionEntry::sequence).reversed())
            .map(SessionEntry::session);
    List<UUID> mailboxes =
        Stream.concat(List.copyOf(senders).stream(), activeSessions)
            .distinct()
            .limit(protocolSettings.watched())
            .toList();
    senders.clear();
    return mailboxes;
  }

  private static boolean sameLife(CallBatch one, CallBatch other) {
    return one.birth().equals(other.birth());
  }
}
