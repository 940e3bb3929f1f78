package io.ensemble.objects.course;

import io.ensemble.objects.root.Batch;
import io.ensemble.objects.root.Member;
import io.ensemble.objects.root.Root;
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
final class Mail {

  /** Where events tell who posts, who has been silent for so many steps need not be asked. */
  private static final int ASKED_STEPS = 32;

  private final Layout layout;
  private final Set<UUID> senders = new LinkedHashSet<>();
  private final Map<UUID, Batch> batches = new LinkedHashMap<>();

  Mail(Layout layout) {
    this.layout = layout;
  }

  /** A session is said to have posted: its mailbox is looked into next. */
  void from(UUID session) {
    if (senders.size() < layout.watched()) {
      senders.add(session);
    }
  }

  /** A batch that was posted, perhaps long ago. */
  void add(Batch batch) {
    Batch before = batches.get(batch.session());
    boolean newer = before == null || before.number() < batch.number() || !sameLife(before, batch);
    if (before == null && batches.size() >= layout.members()) {
      from(batch.session()); // It is looked for when there is room.
    } else if (newer) {
      batches.put(batch.session(), batch);
    }
  }

  /** Forgets what the root knows, or can never take. */
  void settle(Root root) {
    batches.values().removeIf(b -> root.standing(b) != Root.Standing.NEW);
  }

  /** What is known, first heard of first. */
  List<Batch> batches() {
    return List.copyOf(batches.values());
  }

  /**
   * Into whose mailboxes to look next: of those that are said to have posted, and of those that
   * were heard of last.
   *
   * @param told whether events tell of those that post
   */
  List<UUID> mailboxes(@Nullable Root root, UUID me, boolean told) {
    Collection<Member> members = root == null ? List.of() : root.members();
    long since = told && root != null ? root.sequence() - ASKED_STEPS : 0;
    Stream<UUID> heard =
        members.stream()
            .filter(m -> m.sequence() >= since && !m.session().equals(me))
            .sorted(Comparator.comparingLong(Member::sequence).reversed())
            .map(Member::session);
    List<UUID> mailboxes =
        Stream.concat(List.copyOf(senders).stream(), heard)
            .distinct()
            .limit(layout.watched())
            .toList();
    senders.clear();
    return mailboxes;
  }

  private static boolean sameLife(Batch one, Batch other) {
    return one.birth().equals(other.birth());
  }
}
