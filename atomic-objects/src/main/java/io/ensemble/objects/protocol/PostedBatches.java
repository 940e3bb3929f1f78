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
import org.jspecify.annotations.Nullable;

/**
 * The batches that other sessions have posted, as far as a combiner has received them: from their
 * mailboxes or from an event. Both ways deliver the batch as its session wrote it, and it is
 * applied once, whichever session applies it.
 */
final class PostedBatches {

  /** If events report posts, a session without a batch for this number of steps is not polled. */
  private static final int ASKED_STEPS = 32;

  /**
   * Without events, a session without a batch for this number of steps is not polled: it has
   * probably ended. It must not rely on its mailbox already at half of this number ({@link
   * #isPolled}).
   */
  private static final int ASKED_STEPS_WITHOUT_EVENTS = 64;

  /**
   * A combiner that makes steps without a pause looks into the shared mailbox after this number of
   * them. One that waits for batches always does.
   */
  private static final int SHARED_STEPS = 4;

  private final ProtocolSettings protocolSettings;
  private final UUID birth;
  private final Set<UUID> senders = new LinkedHashSet<>();
  private final Map<UUID, CallBatch> batches = new LinkedHashMap<>();

  /** The place, in the order of activity, of the session whose mailbox was read last in turn. */
  private int turn;

  /** The number of the last step at the last look into mailboxes. */
  private long lookedAt = -1;

  /** The number of the last step at the last look into the shared mailbox; -1 if not known yet. */
  private long lookedIntoSharedAt = -1;

  PostedBatches(ProtocolSettings protocolSettings, UUID birth) {
    this.protocolSettings = protocolSettings;
    this.birth = birth;
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
   * Whether the object has made so many steps since this session looked into the shared mailbox
   * that it should look again, beside a step. Another session may have tried to make a step all the
   * time, and may never win.
   */
  boolean isSharedDue(ObjectRoot root) {
    return stepsSinceShared(root) >= protocolSettings.loneSteps();
  }

  /** Steps that were made before this session opened an old object do not count. */
  private long stepsSinceShared(ObjectRoot root) {
    if (lookedIntoSharedAt < 0) {
      boolean isOld = root.sequence() >= protocolSettings.loneSteps();
      lookedIntoSharedAt = isOld ? root.sequence() : 0;
    }
    return root.sequence() - lookedIntoSharedAt;
  }

  /**
   * Whether a combiner polls the mailbox of a session, in a store without events: it is among those
   * that made a step lately.
   */
  static boolean isPolled(ObjectRoot root, UUID session) {
    return root.member(session)
        .filter(m -> root.sequence() - m.sequence() <= ASKED_STEPS_WITHOUT_EVENTS / 2)
        .isPresent();
  }

  /** The shared mailbox, which is read next. */
  List<UUID> sharedMailbox(ObjectRoot root) {
    lookedIntoSharedAt = root.sequence();
    return List.of(birth);
  }

  /**
   * The mailboxes to read next: of sessions that are reported to have posted, and of the most
   * recently active sessions, except of those that were not active for long; and the shared mailbox
   * often enough.
   *
   * @param hasEvents whether events report posts
   */
  List<UUID> mailboxes(@Nullable ObjectRoot root, UUID me, boolean hasEvents) {
    Collection<SessionEntry> members = root == null ? List.of() : root.members();
    int askedSteps = hasEvents ? ASKED_STEPS : ASKED_STEPS_WITHOUT_EVENTS;
    long since = root == null ? 0 : root.sequence() - askedSteps;
    List<UUID> activeSessions =
        members.stream()
            .filter(m -> m.sequence() >= since && !m.session().equals(me))
            .sorted(Comparator.comparingLong(SessionEntry::sequence).reversed())
            .map(SessionEntry::session)
            .toList();
    Set<UUID> mailboxes = new LinkedHashSet<>();
    if (root != null) {
      boolean isIdle = root.sequence() == lookedAt;
      if (isIdle || stepsSinceShared(root) >= SHARED_STEPS) {
        mailboxes.addAll(sharedMailbox(root));
      }
      lookedAt = root.sequence();
    }
    mailboxes.addAll(senders);
    activeSessions.stream().limit(protocolSettings.watched() / 2).forEach(mailboxes::add);
    // The others take turns, so that none waits for those that are active all the time.
    for (int i = 0;
        i < activeSessions.size() && mailboxes.size() < protocolSettings.watched();
        i++) {
      turn = (turn + 1) % activeSessions.size();
      mailboxes.add(activeSessions.get(turn));
    }
    senders.clear();
    return mailboxes.stream().limit(protocolSettings.watched()).toList();
  }

  private static boolean sameLife(CallBatch one, CallBatch other) {
    return one.birth().equals(other.birth());
  }
}
