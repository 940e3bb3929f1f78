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
 * What others have posted, as far as a combiner has heard: found in their mailboxes, or told by an
 * event. Either way it is what they wrote, and is applied once, whoever applies it.
 */
final class PostedBatches {

  /** Where events tell who posts, who has been silent for so many steps need not be asked. */
  private static final int ASKED_STEPS = 32;

  private final ProtocolSettings protocolSettings;
  private final Set<UUID> senders = new LinkedHashSet<>();
  private final Map<UUID, CallBatch> batches = new LinkedHashMap<>();

  PostedBatches(ProtocolSettings protocolSettings) {
    this.protocolSettings = protocolSettings;
  }

  /** A session is said to have posted: its mailbox is looked into next. */
  void from(UUID session) {
    if (senders.size() < protocolSettings.watched()) {
      senders.add(session);
    }
  }

  /** A batch that was posted, perhaps long ago. */
  void add(CallBatch batch) {
    CallBatch before = batches.get(batch.session());
    boolean newer = before == null || before.number() < batch.number() || !sameLife(before, batch);
    if (before == null && batches.size() >= protocolSettings.members()) {
      from(batch.session()); // It is looked for when there is room.
    } else if (newer) {
      batches.put(batch.session(), batch);
    }
  }

  /** Forgets what the root knows, or can never take. */
  void settle(ObjectRoot root) {
    batches.values().removeIf(b -> root.standing(b) != ObjectRoot.Standing.NEW);
  }

  /** What is known, first heard of first. */
  List<CallBatch> batches() {
    return List.copyOf(batches.values());
  }

  /**
   * Into whose mailboxes to look next: of those that are said to have posted, and of those that
   * were heard of last.
   *
   * @param told whether events tell of those that post
   */
  List<UUID> mailboxes(@Nullable ObjectRoot root, UUID me, boolean told) {
    Collection<SessionEntry> members = root == null ? List.of() : root.members();
    long since = told && root != null ? root.sequence() - ASKED_STEPS : 0;
    Stream<UUID> heard =
        members.stream()
            .filter(m -> m.sequence() >= since && !m.session().equals(me))
            .sorted(Comparator.comparingLong(SessionEntry::sequence).reversed())
            .map(SessionEntry::session);
    List<UUID> mailboxes =
        Stream.concat(List.copyOf(senders).stream(), heard)
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
