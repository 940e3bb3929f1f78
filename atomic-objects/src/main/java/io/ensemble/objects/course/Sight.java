package io.ensemble.objects.course;

import io.ensemble.objects.root.Batch;
import io.ensemble.objects.root.Bytes;
import io.ensemble.objects.root.Member;
import io.ensemble.objects.root.Root;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a course knows of the object: the last root that it saw, and of when that is. */
final class Sight {

  private static final long SHORT_NANOS = 50_000_000;
  private static final long LONG_NANOS = 1_000_000_000;

  @Nullable Root root;

  /** By which the store knows that root; null if it did not tell. */
  @Nullable Object token;

  /** What a combiner found in the mailboxes with that root. */
  List<Batch> posted = List.of();

  /** Whether the root may have been replaced, as far as this session's own swaps tell. */
  boolean stale = true;

  /** The number of the request that showed the root: it is not older than that. */
  long evidence;

  /** Whether reads are answered from the root as it is known, so that events refresh it. */
  boolean followed;

  /** When it was asked for. */
  long at;

  /** How many requests had been sent when something was last told of the object. */
  long hinted = -1;

  /**
   * Whether the root is to be read although nothing needs it yet: the store did not tell its token.
   */
  boolean refresh;

  private static final int ASKED_STEPS = 32;

  private final Set<UUID> senders = new LinkedHashSet<>();
  private @Nullable UUID snapshotName;
  private @Nullable Bytes snapshot;

  void saw(Root seen, @Nullable Object seenToken, long request, long asked) {
    root = seen;
    token = seenToken;
    evidence = request;
    at = asked;
    posted = List.of();
  }

  /**
   * Whether so many others may have come since that this session is remembered no more: then a
   * batch that is made by this root would end unknown, though it was never applied, and it is
   * better to look first.
   */
  boolean isRisky(UUID me, Layout layout, long now) {
    Root known = root;
    if (known == null) {
      return false;
    }
    long recent = Math.max(0, known.sequence() - 4L * layout.members());
    boolean alone =
        known.members().stream().allMatch(m -> m.session().equals(me) || m.sequence() <= recent);
    return known.horizon() > recent || now - at > (alone ? LONG_NANOS : SHORT_NANOS);
  }

  boolean isCombiner(UUID me) {
    return root != null && me.equals(root.combiner());
  }

  /** A session is said to have posted: its mailbox is looked into next. */
  void mail(UUID session, int atMost) {
    if (senders.size() < atMost) {
      senders.add(session);
    }
  }

  /**
   * Into whose mailboxes to look next: of those that are said to have posted, and of those that
   * were heard of last.
   *
   * @param told whether events tell of those that post; if so, who has been silent for some steps
   *     need not be asked
   */
  List<UUID> mailboxes(UUID me, int atMost, boolean told) {
    List<Member> members = root == null ? List.of() : root.members();
    long since = told && root != null ? root.sequence() - ASKED_STEPS : 0;
    Stream<UUID> heard =
        members.stream()
            .filter(m -> m.sequence() >= since && !m.session().equals(me))
            .sorted(Comparator.comparingLong(Member::sequence).reversed())
            .map(Member::session);
    List<UUID> mailboxes =
        Stream.concat(List.copyOf(senders).stream(), heard).distinct().limit(atMost).toList();
    senders.clear();
    return mailboxes;
  }

  /** Keeps a snapshot at hand; the one before is given up. */
  void keep(UUID name, Bytes state) {
    snapshotName = name;
    snapshot = state;
  }

  boolean has(UUID name) {
    return name.equals(snapshotName);
  }

  @Nullable Bytes snapshot() {
    return snapshot;
  }
}
