package io.ensemble.listen;

import io.ensemble.ChangeEvent.Change;
import io.ensemble.ChangeEvent.Gap;
import io.ensemble.ChangeEvent.GapReason;
import io.ensemble.ChangeEvent.Kind;
import io.ensemble.ChangeStamp;
import io.ensemble.register.Ballot;
import io.ensemble.register.Content;
import io.ensemble.register.SeedCell;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Merges what the replicas of a cache show into one stream of changes.
 *
 * <p><b>Which writes are shown.</b> A write is shown once enough replicas have accepted one ballot
 * of it, or a read by majority has returned it, or it is an ancestor of such a write. A write is
 * identified by the ballot in which it was first proposed, which no other write has. These ballots
 * grow along the history of a key. So a write at or below the last one shown for its key is a
 * duplicate, or was overwritten; it is ignored. Registers count their writes, so a jump of the
 * count shows how many writes were missed: a gap precedes the next change.
 *
 * <p><b>Coverage.</b> Replicas show their writes by events, of which some may be lost, and in
 * scans. A round scans all keys at enough replicas to meet every majority; the keys for which the
 * votes prove nothing are then read by majority. After a round, each write that was chosen before
 * it is shown, overwritten or known. The first round of a stream only records the state, or
 * compares it with the position from which the stream resumes.
 *
 * <p><b>Watermark.</b> A chosen write has a ballot that is at most {@link #LATE_MICROS} older than
 * the moment at which the write is chosen: no operation lasts longer than a minute, a ballot that
 * was promised in advance is at most half a minute older, and clocks differ by less than a minute.
 * So after a round that began at {@code t} no acknowledged write up to {@code t} minus that time is
 * outstanding. A position names this watermark and the changes above it that were shown.
 *
 * <p>Memory: an entry for each key, at most {@code maxKeys}; at most {@code maxPending} unproven
 * writes with their values, of at most {@code maxPendingBytes} and one value. Not thread-safe.
 *
 * @param <K> the keys; must have value equality
 * @param <V> the values
 */
public class ChangeMerger<K, V> {

  /** How much older the ballot of an acknowledged write can be than the moment of its choice. */
  public static final long LATE_MICROS = 150_000_000;

  /** How many unproven writes of one key are kept. */
  static final int MOST_OF_A_KEY = 8;

  private static final long UNKNOWN = -1;

  /** Properties of values. */
  public interface Values<V> {

    /** A number that is equal for equal values, and differs for others almost always. */
    long fingerprint(V value);

    /** When the value expires, in microseconds since 1970; 0 for never. */
    long expiryMicros(V value);

    /** How many bytes the value takes. */
    long sizeBytes(V value);
  }

  /** An unproven write, with the replicas that have accepted each of its ballots. */
  private static final class Candidate<V> {
    final Content<V> content;
    final Map<Ballot, BitSet> votes = new HashMap<>(2);
    final Set<Ballot> floors = new HashSet<>(2);
    final int since;
    final long sizeBytes;

    /** Whether a replica shows the write for certain, although a read has not returned it. */
    final boolean isProof;

    /** The number of the last vote that added a replica. */
    long lastVote;

    Candidate(Vote<V> vote, int since, long sizeBytes) {
      this.sizeBytes = sizeBytes;
      this.content = vote.content();
      this.isProof = vote.isProof() && vote.required() == 1;
      this.since = since;
    }
  }

  /** What is known of a key. */
  private static final class KeyState<V> {
    /** The last write shown or recorded; null if there is none yet. */
    @Nullable ChangeStamp shown;

    long sequence = UNKNOWN;
    long fingerprint;
    boolean isRemoved;
    long expiryMicros;
    int seenInRound;

    /** Whether votes cannot prove a write, because the key was known once and then purged. */
    boolean requiresRead;

    /** A write for which there was no room: the key must be read. Null for none. */
    @Nullable Unkept unkept;

    /** In a first round whose replicas may differ: those that show {@link #shown}, one bit each. */
    long holders;

    final TreeMap<ChangeStamp, Candidate<V>> pending = new TreeMap<>();

    boolean isOpen(int since) {
      return unkept != null && unkept.since <= since
          || pending.values().stream().anyMatch(one -> one.since <= since);
    }

    boolean isVotedAfter(long votes) {
      return unkept != null && unkept.lastVote > votes
          || pending.values().stream().anyMatch(one -> one.lastVote > votes);
    }
  }

  /** An unproven write of which nothing is kept but its stamp, with the number of its vote. */
  private record Unkept(ChangeStamp id, int since, long lastVote) {}

  private final Values<V> values;
  private final int maxKeys;
  private final int maxPending;
  private final long maxPendingBytes;

  /** The position of the former stream, whether or not a round had covered it. */
  private final @Nullable ListenPosition former;

  /** The same, if a round had covered it. */
  private final @Nullable ListenPosition resumed;

  /** Whether the stream resumes from a position that no round had covered. */
  private final boolean isWithoutPosition;

  private final ToLongFunction<K> keyHash;
  private final Map<K, KeyState<V>> keys = new HashMap<>();
  private final List<ListenOutput<K, V>> outputs = new ArrayList<>();

  /** The keys with unproven writes, and perhaps others. */
  private final Set<K> open = new LinkedHashSet<>();

  private long configuration;
  private int tick;
  private long countedVotes;
  private int round;
  private int pending;
  private long pendingBytes;
  private boolean isFirstRound = true;

  /** Whether a round of this stream has found every acknowledged write. */
  private boolean hasCovered;

  /** Whether a write of this round was dropped although it may be an acknowledged one. */
  private boolean isUncovered;

  /** Whether a round may be complete without covering all writes: each replica may have its own. */
  private boolean mayBePartial;

  private boolean isReconfigured;
  private boolean isOverKeys;
  private long formerConfiguration;
  private long roundBegunMicros;
  private long watermark;
  private ChangeStamp droppedFloor = ChangeStamp.NONE;

  // What a first round or the round after a reconfiguration found.
  private long ambiguous;
  private long emitted;
  private ChangeStamp highest = ChangeStamp.NONE;

  /**
   * @param configuration the number of the present configuration
   * @param resumed the position from which the stream continues; null to begin now
   * @param keyHash a hash of keys that is the same in every process
   * @param maxKeys how many keys may be known
   * @param maxPending how many unproven writes may be kept
   * @param maxPendingBytes how many bytes their values may take before another one is kept
   */
  public ChangeMerger(
      long configuration,
      Values<V> values,
      ToLongFunction<K> keyHash,
      int maxKeys,
      int maxPending,
      long maxPendingBytes,
      @Nullable ListenPosition resumed) {
    this.configuration = configuration;
    this.values = values;
    this.keyHash = keyHash;
    this.maxKeys = maxKeys;
    this.maxPending = maxPending;
    this.maxPendingBytes = maxPendingBytes;
    former = resumed;
    isWithoutPosition = resumed != null && resumed.watermark() == 0;
    this.resumed = isWithoutPosition ? null : resumed;
    this.watermark = resumed == null ? 0 : resumed.watermark();
  }

  /** The number of the present configuration. */
  public long configuration() {
    return configuration;
  }

  /** How many keys are known. */
  public int knownKeys() {
    return keys.size();
  }

  /** How many unproven writes are kept. */
  public int pendingWrites() {
    return pending;
  }

  /** Whether so many unproven writes are kept that reads should prove some of them. */
  public boolean isLoaded() {
    return pending >= Math.max(1, maxPending / 4)
        || pendingBytes >= Math.max(1, maxPendingBytes / 4);
  }

  /** Whether there are more keys than the limit: the stream is incomplete and must end. */
  public boolean hasTooManyKeys() {
    return isOverKeys;
  }

  /** Whether the first round of the stream or of the configuration is not complete yet. */
  public boolean isCatchingUp() {
    return isFirstRound || isReconfigured;
  }

  /** Replica {@code replica} shows {@code vote} for {@code key}. */
  public void observe(int replica, K key, Vote<V> vote) {
    if (vote.isAbsent()) {
      return;
    }
    ChangeStamp id = idOf(vote.content());
    KeyState<V> state = stateOf(key, id);
    if (state == null) {
      return;
    }
    state.seenInRound = round;
    if (isShown(state.shown, id)) {
      noteHolder(replica, state, id);
      return;
    }
    Candidate<V> candidate = state.pending.get(id);
    if (candidate == null) {
      candidate = add(key, state, id, vote);
      if (candidate == null) {
        return;
      }
    }
    candidate.floors.add(vote.floor());
    BitSet votes = candidate.votes.computeIfAbsent(vote.accepted(), ballot -> new BitSet());
    if (!votes.get(replica)) {
      votes.set(replica);
      candidate.lastVote = ++countedVotes;
    }
    boolean isEnough = vote.isProof() || givesNoEvent(state, vote.content());
    if (isEnough
        && !state.requiresRead
        && isChosen(votes.cardinality(), vote)
        && mayShowByVotes(key, id)) {
      show(key, state, vote.content());
      noteHolder(replica, state, id);
    }
  }

  /** A replica may go back for a moment, where an older write displaces a newer one. */
  private void noteHolder(int replica, KeyState<V> state, ChangeStamp id) {
    if (isBaseline() && mayBePartial) {
      long bit = replicaBit(replica);
      state.holders = id.equals(state.shown) ? state.holders | bit : state.holders & ~bit;
    }
  }

  /**
   * Whether the write gives no event even if it is chosen, so that a majority's votes are enough.
   */
  private boolean givesNoEvent(KeyState<V> state, Content<V> content) {
    return isBaseline() || isResuming() || isReconfigured && isSameSeed(state, content);
  }

  /**
   * Votes of replicas that lag behind prove old writes. A resumed stream cannot tell whether such a
   * write was shown or overwritten before, so in its first round only a read decides.
   */
  private boolean mayShowByVotes(K key, ChangeStamp id) {
    return !isResuming() || coverage(key, id) == ListenPosition.Coverage.SHOWN;
  }

  /** Until a round has covered all writes, some of them may be those that the position names. */
  private boolean isResuming() {
    return !hasCovered && resumed != null;
  }

  private ListenPosition.Coverage coverage(K key, ChangeStamp id) {
    return Objects.requireNonNull(resumed).coverage(keyHash.applyAsLong(key), id);
  }

  /** Whether that many votes prove a write chosen. Open for planted errors. */
  boolean isChosen(int votes, Vote<V> vote) {
    return votes >= vote.required();
  }

  private @Nullable KeyState<V> stateOf(K key, ChangeStamp id) {
    KeyState<V> state = keys.get(key);
    if (state == null) {
      if (keys.size() >= maxKeys) {
        isOverKeys = true;
        return null;
      }
      state = new KeyState<>();
      state.requiresRead = isAtOrBelow(id, droppedFloor);
      keys.put(key, state);
    }
    return state;
  }

  private @Nullable Candidate<V> add(K key, KeyState<V> state, ChangeStamp id, Vote<V> vote) {
    if (state.pending.size() >= MOST_OF_A_KEY) {
      if (state.pending.firstKey().compareTo(id) > 0) {
        return null;
      }
      forget(state.pending.pollFirstEntry().getValue());
    } else if (pending >= maxPending || pendingBytes >= maxPendingBytes) {
      Unkept former = state.unkept;
      ChangeStamp top = former == null || id.isAfter(former.id()) ? id : former.id();
      state.unkept = new Unkept(top, former == null ? tick : former.since(), ++countedVotes);
      open.add(key);
      return null;
    }
    V value = vote.content().value();
    Candidate<V> candidate =
        new Candidate<>(vote, tick, value == null ? 0 : values.sizeBytes(value));
    state.pending.put(id, candidate);
    pending++;
    pendingBytes += candidate.sizeBytes;
    open.add(key);
    return candidate;
  }

  /** A candidate was removed from its key. */
  private void forget(Candidate<V> candidate) {
    pending--;
    pendingBytes -= candidate.sizeBytes;
  }

  /**
   * A read by majority that began with the knowledge {@code basis} returned {@code content} for
   * {@code key}.
   *
   * <p>Writes above the returned one that had all their votes by then are dropped: they were not
   * chosen. The vote of a rival that lost may stay at a site, and would be read again and again. If
   * one of them is chosen later, its further votes or the next round show it.
   */
  public void decided(K key, Content<V> content, ReadBasis basis) {
    boolean isAbsent = content.recent().isEmpty();
    KeyState<V> state = isAbsent ? keys.get(key) : stateOf(key, idOf(content));
    if (state == null) {
      return;
    }
    state.seenInRound = round;
    if (!isAbsent) {
      state.requiresRead = false;
      if (!isShown(state.shown, idOf(content))) {
        show(key, state, content);
      }
      isUncovered |=
          state.pending.values().stream()
              .anyMatch(one -> one.isProof && one.lastVote <= basis.votes());
      Iterator<Candidate<V>> former = state.pending.values().iterator();
      while (former.hasNext()) {
        Candidate<V> one = former.next();
        if (one.lastVote <= basis.votes()) {
          former.remove();
          forget(one);
        }
      }
      Unkept unkept = state.unkept;
      if (unkept != null) {
        isUncovered |= mayBePartial && unkept.id().isAfter(idOf(content));
        boolean isSettled = unkept.lastVote() <= basis.votes();
        // Otherwise only the votes since then are open.
        state.unkept = isSettled ? null : new Unkept(unkept.id(), tick, unkept.lastVote());
      }
      return;
    }
    if (state.isVotedAfter(basis.votes())
        || !Optional.ofNullable(state.shown).equals(basis.shown())) {
      return; // The key was written meanwhile.
    }
    // Any votes are older than the purge of the key.
    ChangeStamp last = state.shown;
    if (last != null && !state.isRemoved && !isBaseline()) {
      ChangeStamp end = new ChangeStamp(configuration, rightAfter(last));
      boolean isExpired = state.expiryMicros != 0 && state.expiryMicros <= roundBegunMicros;
      if (!isExpired || state.sequence != UNKNOWN) {
        gap(GapReason.OVERWRITTEN, Optional.of(key), last, end, OptionalLong.empty());
      }
      emit(isExpired ? Kind.EXPIRED : Kind.REMOVED, key, null, end);
    }
    drop(key, state);
  }

  private static Stamp rightAfter(ChangeStamp last) {
    return last.stamp().rightAfter();
  }

  private void drop(K key, KeyState<V> state) {
    state.pending.values().forEach(this::forget);
    ChangeStamp top = state.pending.isEmpty() ? state.shown : state.pending.lastKey();
    if (state.unkept != null && (top == null || state.unkept.id().isAfter(top))) {
      top = state.unkept.id();
    }
    if (top != null && top.isAfter(droppedFloor)) {
      droppedFloor = top;
    }
    keys.remove(key);
  }

  /** The write {@code content} is chosen: shows it after those of its ancestors that are known. */
  private void show(K key, KeyState<V> state, Content<V> content) {
    ChangeStamp id = idOf(content);
    if (!isCatchingUp()) { // Otherwise they may be older than what was shown before.
      ancestors(state, content).forEach(ancestor -> accept(key, state, ancestor));
    }
    reportUnproven(key, state, content, id);
    accept(key, state, content);
    while (!state.pending.isEmpty() && state.pending.firstKey().compareTo(id) <= 0) {
      forget(state.pending.pollFirstEntry().getValue());
    }
    if (state.unkept != null && !state.unkept.id().isAfter(id)) {
      state.unkept = null;
    }
  }

  /**
   * Where writes are not counted: unproven writes before this one may have been chosen, and
   * overwritten before a read could prove it.
   */
  private void reportUnproven(K key, KeyState<V> state, Content<V> content, ChangeStamp id) {
    ChangeStamp last = state.shown;
    if (last == null
        || content.sequence() != 0
        || last.configuration() != id.configuration()
        || isCatchingUp()) {
      return;
    }
    if (state.pending.headMap(id, false).keySet().stream().anyMatch(one -> one.isAfter(last))) {
      gap(GapReason.OVERWRITTEN, Optional.of(key), last, id, OptionalLong.empty());
    }
  }

  /** The unproven writes of which {@code content} is known to be a descendant, in their order. */
  private List<Content<V>> ancestors(KeyState<V> state, Content<V> content) {
    if (state.pending.isEmpty()) {
      return List.of();
    }
    Set<Ballot> proposals = new HashSet<>(content.recent());
    Candidate<V> self = state.pending.get(idOf(content));
    Set<Ballot> floors = self == null ? new HashSet<>() : new HashSet<>(self.floors);
    List<Content<V>> found = new ArrayList<>();
    for (Map.Entry<ChangeStamp, Candidate<V>> entry :
        state.pending.headMap(idOf(content), false).descendingMap().entrySet()) {
      Candidate<V> candidate = entry.getValue();
      boolean isAncestor =
          proposals.contains(candidate.content.firstProposed())
              || candidate.votes.keySet().stream().anyMatch(floors::contains);
      if (isAncestor) {
        found.add(0, candidate.content);
        proposals.addAll(candidate.content.recent());
        floors.addAll(candidate.floors);
      }
    }
    return found;
  }

  private void accept(K key, KeyState<V> state, Content<V> content) {
    ChangeStamp id = idOf(content);
    if (isShown(state.shown, id)) {
      return;
    }
    if (former != null && former.isShown(keyHash.applyAsLong(key), id)) {
      record(state, id, content); // In each round: a site with this write may come back late.
      return;
    }
    ChangeStamp last = state.shown;
    if (resumed != null && !hasCovered) {
      resume(key, state, content, id, resumed);
    } else if (last == null) {
      first(key, state, content, id);
    } else if (last.configuration() == id.configuration()) {
      reportOverwritten(key, state, content, id, last);
      shownOrRecorded(key, state, content, id);
    } else if (isSameSeed(state, content)) {
      list(key, id); // The reader knows the value from the former configuration.
    } else {
      shownOrRecorded(key, state, content, id);
    }
    record(state, id, content);
  }

  private void reportOverwritten(
      K key, KeyState<V> state, Content<V> content, ChangeStamp id, ChangeStamp last) {
    long missed = content.sequence() - state.sequence - 1;
    boolean isCounted = state.sequence > 0 && content.sequence() > 0;
    if (isCounted && missed != 0 && !isBaseline()) {
      // A smaller count: the tombstone was purged in between, and the count began again.
      OptionalLong number = missed > 0 ? OptionalLong.of(missed) : OptionalLong.empty();
      gap(GapReason.OVERWRITTEN, Optional.of(key), last, id, number);
    }
  }

  /** Whether the key's last shown write is this one or a later one. Open for planted errors. */
  boolean isShown(@Nullable ChangeStamp last, ChangeStamp id) {
    return isAtOrBelow(id, last);
  }

  private static boolean isAtOrBelow(ChangeStamp id, @Nullable ChangeStamp last) {
    return last != null && id.compareTo(last) <= 0;
  }

  /**
   * Whether the write may be one by which the key came from a former configuration: any write where
   * writes are not counted; otherwise the first one of its register, or the first one after a seed,
   * see {@link io.ensemble.change.KeyMigrationRules}. The ballot of the seed is missing if both
   * have the same writer.
   */
  private static boolean isPerhapsSeed(Content<?> content) {
    List<Ballot> recent = content.recent();
    return content.sequence() <= 1
        || content.sequence() == 2 && (recent.size() == 1 || SeedCell.isBallotOfOne(recent.get(1)));
  }

  /** Whether a new configuration began with the value that was shown last in the former one. */
  private boolean isSameSeed(KeyState<V> state, Content<V> content) {
    V value = content.value();
    return isPerhapsSeed(content)
        && (value == null
            ? state.isRemoved
            : !state.isRemoved && values.fingerprint(value) == state.fingerprint);
  }

  /** The first write known of a key that had none when the last round began. */
  private void first(K key, KeyState<V> state, Content<V> content, ChangeStamp id) {
    if (content.sequence() > 1 && !isBaseline()) {
      gap(
          GapReason.OVERWRITTEN,
          Optional.of(key),
          new ChangeStamp(configuration, new Stamp(watermark, WriterId.NONE)),
          id,
          OptionalLong.of(content.sequence() - 1));
    }
    shownOrRecorded(key, state, content, id);
  }

  /** A write that the stream that ended at {@code position} may have shown. */
  private void resume(
      K key, KeyState<V> state, Content<V> content, ChangeStamp id, ListenPosition position) {
    ListenPosition.Coverage coverage =
        id.configuration() > position.configuration() && isPerhapsSeed(content)
            ? ListenPosition.Coverage.UNKNOWN
            : coverage(key, id);
    switch (coverage) {
      case SHOWN -> {}
      case UNKNOWN -> {
        ambiguous++;
        list(key, id); // The reader reads the cache.
      }
      case NEW -> shownOrRecorded(key, state, content, id);
    }
  }

  /** Whether chosen writes are recorded only, because the stream begins with those that follow. */
  private boolean isBaseline() {
    return isFirstRound && resumed == null;
  }

  private void shownOrRecorded(K key, KeyState<V> state, Content<V> content, ChangeStamp id) {
    if (isBaseline()) {
      if (!mayBePartial) { // Otherwise at the end of the round.
        list(key, id);
      }
      return;
    }
    V value = content.value();
    Kind kind;
    if (value == null) {
      boolean isExpired =
          state.shown != null
              && state.expiryMicros != 0
              && state.expiryMicros <= id.stamp().micros();
      kind = isExpired ? Kind.EXPIRED : Kind.REMOVED;
    } else {
      boolean wasAbsent = state.shown == null ? isKnownAbsent(content) : state.isRemoved;
      kind = wasAbsent ? Kind.CREATED : Kind.MODIFIED;
    }
    emit(kind, key, value, id);
  }

  /** A position lists the write as known, unless the watermark of this round will cover it. */
  private void list(K key, ChangeStamp id) {
    highest = id.isAfter(highest) ? id : highest; // A gap at the end of the round covers it.
    long next = roundBegunMicros - LATE_MICROS;
    boolean isStalled = mayBePartial && watermark > 0; // At 0 there is no position to complete.
    if (id.stamp().micros() > (isStalled ? Math.min(watermark, next) : next)) {
      outputs.add(new ListenOutput.Recorded<>(keyHash.applyAsLong(key), id));
    }
  }

  /** Whether a key without a known write had no value before this one. */
  private boolean isKnownAbsent(Content<V> content) {
    return content.sequence() == 1 && !SeedCell.isOne(content)
        || content.sequence() == 0 && !isFirstRound;
  }

  private void record(KeyState<V> state, ChangeStamp id, Content<V> content) {
    V value = content.value();
    state.shown = id;
    state.holders = 0;
    state.sequence = content.sequence() == 0 ? UNKNOWN : content.sequence();
    state.isRemoved = value == null;
    state.fingerprint = value == null ? 0 : values.fingerprint(value);
    state.expiryMicros = value == null ? 0 : values.expiryMicros(value);
  }

  private void emit(Kind kind, K key, @Nullable V value, ChangeStamp id) {
    emitted++;
    highest = id.isAfter(highest) ? id : highest;
    outputs.add(
        new ListenOutput.Shown<>(
            new Change<>(kind, key, value, id),
            keyHash.applyAsLong(key),
            withdrawal(key, keys.get(key))));
  }

  private void gap(
      GapReason reason,
      Optional<K> key,
      ChangeStamp after,
      ChangeStamp before,
      OptionalLong missed) {
    outputs.add(new ListenOutput.Missing<>(new Gap<>(reason, key, after, before, missed)));
  }

  /**
   * Drained outputs could not be confirmed in their configuration, and were not passed on. If the
   * next configuration has one of these writes, it is shown then. To be called before {@link
   * #reconfigured}.
   */
  public void withdraw(List<ListenOutput<K, V>> outputs) {
    for (int i = outputs.size() - 1; i >= 0; i--) {
      if (outputs.get(i) instanceof ListenOutput.Shown<K, V> shown) {
        shown.withdrawal().run();
      }
    }
  }

  /** Restores the knowledge of a key from before its last change. */
  private Runnable withdrawal(K key, @Nullable KeyState<V> state) {
    if (state == null || state.shown == null) {
      return () -> keys.remove(key);
    }
    ChangeStamp shown = state.shown;
    long sequence = state.sequence;
    long fingerprint = state.fingerprint;
    boolean isRemoved = state.isRemoved;
    long expiryMicros = state.expiryMicros;
    return () -> {
      KeyState<V> now = keys.computeIfAbsent(key, one -> new KeyState<>());
      now.shown = shown;
      now.sequence = sequence;
      now.fingerprint = fingerprint;
      now.isRemoved = isRemoved;
      now.expiryMicros = expiryMicros;
    };
  }

  /**
   * Time passes.
   *
   * @return the number of the tick that has ended
   */
  public int tick() {
    return tick++;
  }

  /**
   * Keys with writes that have been unproven since tick {@code since} or longer, each with the
   * basis of a read that begins now; at most {@code most} keys.
   */
  public Map<K, ReadBasis> unresolved(int since, int most) {
    Map<K, ReadBasis> found = new LinkedHashMap<>();
    Iterator<K> all = open.iterator();
    while (all.hasNext() && found.size() < most) {
      K key = all.next();
      KeyState<V> state = keys.get(key);
      if (state == null || state.pending.isEmpty() && state.unkept == null) {
        all.remove();
      } else if (state.isOpen(since)) {
        found.put(key, basis(state));
      }
    }
    return found;
  }

  /** The basis of a read of a key that begins now; empty if all its writes are proven. */
  public Optional<ReadBasis> unproven(K key) {
    KeyState<V> state = keys.get(key);
    return state == null || state.pending.isEmpty() && state.unkept == null
        ? Optional.empty()
        : Optional.of(basis(state));
  }

  /**
   * After the scans of a round: the keys that no scan has returned, although they are known, each
   * with the basis of a read that begins now. Their entries may have been purged.
   */
  public Map<K, ReadBasis> vanished() {
    Map<K, ReadBasis> found = new LinkedHashMap<>();
    keys.forEach(
        (key, state) -> {
          if (state.seenInRound < round) {
            found.put(key, basis(state));
          }
        });
    return found;
  }

  /**
   * At the end of a first round, where each replica may have writes of its own: the last write of a
   * key that some replica lacks is read, and shown as a change although it came before the stream,
   * because a reader of that replica misses it. The reads follow the round, since they may be many.
   * A value that has expired is left out: no reader receives it.
   *
   * @param scanned the replicas that were scanned, see {@link #replicaBit}
   */
  private void reopenUnevenlyHeld(long scanned) {
    keys.forEach(
        (key, state) -> {
          ChangeStamp last = state.shown;
          if (last == null) {
            return;
          }
          boolean isExpired = state.expiryMicros != 0 && state.expiryMicros <= roundBegunMicros;
          if (isExpired || (state.holders & scanned) == scanned) {
            list(key, last);
          } else {
            state.shown = null;
            state.unkept = new Unkept(last, tick, ++countedVotes);
            open.add(key);
            isUncovered = true; // The reader has not received it yet.
          }
        });
  }

  /** The bit of a replica; 0 beyond 64 replicas, of which nothing is then known. */
  public static long replicaBit(int replica) {
    return replica < Long.SIZE ? 1L << replica : 0;
  }

  private ReadBasis basis(KeyState<V> state) {
    return new ReadBasis(Optional.ofNullable(state.shown), countedVotes);
  }

  /** The store of a replica is another one now: votes of the former one no longer count. */
  public void replaced(int replica) {
    for (KeyState<V> state : keys.values()) {
      for (Candidate<V> candidate : state.pending.values()) {
        candidate.votes.values().forEach(votes -> votes.clear(replica));
      }
      state.holders &= ~replicaBit(replica);
    }
  }

  /** The cache has another configuration now: unproven writes of the former one are dropped. */
  public void reconfigured(long number) {
    if (number == configuration) {
      return;
    }
    for (KeyState<V> state : keys.values()) {
      state.pending.clear();
      state.unkept = null;
    }
    pending = 0;
    pendingBytes = 0;
    open.clear();
    formerConfiguration = isReconfigured ? formerConfiguration : configuration;
    configuration = number;
    isReconfigured = true;
  }

  /**
   * A round of scans begins.
   *
   * @param micros the present time, in microseconds since 1970
   * @param isPerhapsPartial whether the round may be complete without covering all writes
   */
  public void beginRound(long micros, boolean isPerhapsPartial) {
    mayBePartial = isPerhapsPartial;
    isUncovered = false;
    round++;
    roundBegunMicros = micros;
  }

  /**
   * The round is complete: enough replicas were scanned, and the keys that were unresolved or
   * vanished have been read.
   *
   * @param visibleSinceMicros removals since this time were visible to the whole round
   * @param isCovering whether so many replicas were scanned that every acknowledged write was
   *     found; otherwise the watermark does not advance
   * @param scanned the replicas that were scanned, see {@link #replicaBit}
   */
  public void completeRound(long visibleSinceMicros, boolean isCovering, long scanned) {
    long begunMicros = roundBegunMicros;
    if (isBaseline() && mayBePartial) {
      reopenUnevenlyHeld(scanned);
    }
    if (isCatchingUp()) {
      ChangeStamp now = new ChangeStamp(configuration, new Stamp(begunMicros, WriterId.NONE));
      if (isFirstRound && resumed != null) {
        reportResumption(visibleSinceMicros, now);
      } else if (isFirstRound && isWithoutPosition) {
        gap(
            GapReason.RETENTION,
            Optional.empty(),
            ChangeStamp.NONE,
            latest(now),
            OptionalLong.empty());
      } else if (isReconfigured && !isFirstRound) {
        gap(
            GapReason.RECONFIGURED,
            Optional.empty(),
            new ChangeStamp(formerConfiguration, new Stamp(watermark, WriterId.NONE)),
            latest(now),
            OptionalLong.empty());
      }
      isFirstRound = false;
      isReconfigured = false;
      ambiguous = 0;
      emitted = 0;
    } else if (ambiguous > 0) {
      ChangeStamp now = new ChangeStamp(configuration, new Stamp(begunMicros, WriterId.NONE));
      gap(
          GapReason.RETENTION,
          Optional.empty(),
          ChangeStamp.NONE,
          latest(now),
          OptionalLong.empty());
      ambiguous = 0;
    }
    if (isCovering && !isUncovered) {
      hasCovered = true;
      watermark = Math.max(watermark, watermark(begunMicros));
    }
    outputs.add(new ListenOutput.Covered<>(configuration, watermark));
  }

  /** The watermark after a round that began at {@code micros}. Open for planted errors. */
  long watermark(long micros) {
    return micros - LATE_MICROS;
  }

  private void reportResumption(long visibleSinceMicros, ChangeStamp now) {
    ListenPosition position = Objects.requireNonNull(resumed);
    ChangeStamp after =
        new ChangeStamp(position.configuration(), new Stamp(position.watermark(), WriterId.NONE));
    boolean isRetained = position.watermark() > visibleSinceMicros;
    if (!isRetained || ambiguous > 0) {
      gap(GapReason.RETENTION, Optional.empty(), after, latest(now), OptionalLong.empty());
    } else if (configuration != position.configuration()) {
      gap(GapReason.RECONFIGURED, Optional.empty(), after, latest(now), OptionalLong.empty());
    } else if (emitted > 0) {
      gap(GapReason.RESUMED, Optional.empty(), after, latest(now), OptionalLong.empty());
    }
  }

  private ChangeStamp latest(ChangeStamp now) {
    return highest.isAfter(now)
        ? new ChangeStamp(highest.configuration(), rightAfter(highest))
        : now;
  }

  /** The outputs since the last call, in order. */
  public List<ListenOutput<K, V>> drain() {
    List<ListenOutput<K, V>> drained = List.copyOf(outputs);
    outputs.clear();
    return drained;
  }

  private ChangeStamp idOf(Content<V> content) {
    Ballot proposal = content.firstProposed();
    return new ChangeStamp(configuration, new Stamp(proposal.round(), proposal.writer()));
  }

  /** For tests: the stamps of unproven writes, in order. */
  List<ChangeStamp> pendingStamps() {
    return keys.values().stream()
        .flatMap(state -> state.pending.keySet().stream())
        .sorted(Comparator.naturalOrder())
        .toList();
  }
}
