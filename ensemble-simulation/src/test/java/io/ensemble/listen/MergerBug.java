package io.ensemble.listen;

import io.ensemble.ChangeStamp;
import io.ensemble.register.Ballot;
import io.ensemble.register.Content;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** A planted error in the merger of changes. */
public enum MergerBug {
  NONE,
  /** A write that was shown is shown again when another round or another replica returns it. */
  REPEATS_LAST,
  /** One vote proves a write chosen. */
  TRUSTS_ONE_VOTE,
  /** A position covers everything up to the time of the last round. */
  NO_TIME_FOR_LATE_WRITES,
  /** Replicas are scanned once, before the first round is complete; afterwards reports suffice. */
  SCANS_ONCE,
  /** A write that a replica held before another one is taken for its ancestor. */
  TAKES_REPLICAS_FOR_HISTORIES;

  /** A merger with this error. */
  public <K, V> ChangeMerger<K, V> merger(
      ChangeMerger.Values<V> values, ToLongFunction<K> keyHash, @Nullable ListenPosition from) {
    return new ChangeMerger<>(0, values, keyHash, 10_000, 1_000, 1 << 20, from) {
      private final Map<List<Object>, Set<Ballot>> formerWrites = new HashMap<>();

      @Override
      public void observe(int replica, K key, Vote<V> vote) {
        super.observe(
            replica,
            key,
            MergerBug.this == TAKES_REPLICAS_FOR_HISTORIES && !vote.isAbsent()
                ? withFormerWrites(replica, key, vote)
                : vote);
      }

      private Vote<V> withFormerWrites(int replica, K key, Vote<V> vote) {
        Content<V> content = vote.content();
        Set<Ballot> former =
            formerWrites.computeIfAbsent(List.of(replica, key), one -> new LinkedHashSet<>());
        Set<Ballot> recent = new LinkedHashSet<>(content.recent());
        recent.addAll(former);
        former.add(content.firstProposed());
        return new Vote<>(
            vote.accepted(),
            vote.floor(),
            vote.required(),
            vote.isProof(),
            new Content<>(content.sequence(), List.copyOf(recent), content.value()));
      }

      @Override
      boolean isShown(@Nullable ChangeStamp last, ChangeStamp id) {
        return MergerBug.this == REPEATS_LAST && !isCatchingUp()
            ? last != null && id.compareTo(last) < 0
            : super.isShown(last, id);
      }

      @Override
      boolean isChosen(int votes, Vote<V> vote) {
        return MergerBug.this == TRUSTS_ONE_VOTE || super.isChosen(votes, vote);
      }

      @Override
      long watermark(long micros) {
        return MergerBug.this == NO_TIME_FOR_LATE_WRITES ? micros : super.watermark(micros);
      }
    };
  }
}
