package io.ensemble.listen;

import io.ensemble.ChangeStamp;
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
  SCANS_ONCE;

  /** A merger with this error. */
  public <K, V> ChangeMerger<K, V> merger(
      ChangeMerger.Values<V> values, ToLongFunction<K> keyHash, @Nullable ListenPosition from) {
    return new ChangeMerger<>(0, values, keyHash, 10_000, 1_000, from) {
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
