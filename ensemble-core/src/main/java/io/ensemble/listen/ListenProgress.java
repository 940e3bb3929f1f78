package io.ensemble.listen;

import io.ensemble.ChangeStamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The position of the reader of a stream: folds the outputs that it has received. Lists at most a
 * given number of changes above the watermark; of more changes, the position names the highest one
 * that is not listed. Not thread-safe.
 */
public final class ListenProgress {

  private final long cache;
  private final int mostListed;
  private long configuration;
  private long watermark;
  private ChangeStamp highest;
  private ChangeStamp unlisted;

  /** The fingerprints of changes above the watermark, by stamp; writes of a batch share stamps. */
  private final TreeMap<ChangeStamp, List<Long>> listed = new TreeMap<>();

  private int size;

  /** Changes of the position that the stream resumed from; their stamps are not known. */
  private List<Long> inherited;

  private final long inheritedUntil;

  /**
   * @param cache the number of the cache
   * @param mostListed how many changes a position lists at most
   * @param resumed the position from which the stream continues
   * @param nowMicros the present time
   */
  public ListenProgress(
      long cache,
      long configuration,
      int mostListed,
      @Nullable ListenPosition resumed,
      long nowMicros) {
    this.cache = cache;
    this.mostListed = mostListed;
    this.configuration = resumed == null ? configuration : resumed.configuration();
    this.watermark = resumed == null ? 0 : resumed.watermark();
    this.highest = resumed == null ? ChangeStamp.NONE : resumed.highest();
    this.unlisted = resumed == null ? ChangeStamp.NONE : resumed.unlisted();
    this.inherited = resumed == null ? List.of() : resumed.shown();
    this.inheritedUntil = nowMicros + ChangeMerger.LATE_MICROS;
  }

  /** The reader has received {@code output}. */
  public void received(ListenOutput<?, ?> output) {
    if (output instanceof ListenOutput.Shown<?, ?> shown) {
      list(shown.keyHash(), shown.change().stamp());
    } else if (output instanceof ListenOutput.Recorded<?, ?> recorded) {
      list(recorded.keyHash(), recorded.stamp());
    } else if (output instanceof ListenOutput.Covered<?, ?> covered) {
      cover(covered);
    }
  }

  private void list(long keyHash, ChangeStamp stamp) {
    listed
        .computeIfAbsent(stamp, one -> new ArrayList<>(1))
        .add(ListenPosition.fingerprint(keyHash, stamp));
    size++;
    highest = stamp.isAfter(highest) ? stamp : highest;
    trim();
  }

  private void trim() {
    while (size + inherited.size() > mostListed && size > 0) {
      Map.Entry<ChangeStamp, List<Long>> lowest = listed.pollFirstEntry();
      size -= lowest.getValue().size();
      unlisted = lowest.getKey().isAfter(unlisted) ? lowest.getKey() : unlisted;
    }
  }

  private void cover(ListenOutput.Covered<?, ?> covered) {
    if (covered.watermark() > inheritedUntil) {
      inherited = List.of();
    }
    configuration = covered.configuration();
    watermark = covered.watermark();
    ChangeStamp top = ListenPosition.top(configuration, watermark);
    while (!listed.isEmpty() && listed.firstKey().compareTo(top) <= 0) {
      size -= listed.pollFirstEntry().getValue().size();
    }
    unlisted = unlisted.isAfter(top) ? unlisted : ChangeStamp.NONE;
  }

  /** The present position. */
  public ListenPosition position() {
    List<Long> all = new ArrayList<>(inherited);
    listed.values().forEach(all::addAll);
    return new ListenPosition(cache, configuration, watermark, highest, unlisted, all);
  }
}
