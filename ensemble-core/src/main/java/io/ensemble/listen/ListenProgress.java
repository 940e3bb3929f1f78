package io.ensemble.listen;

import io.ensemble.ChangeStamp;
import io.ensemble.listen.ListenPosition.LastShown;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The position of the reader of a stream: folds the outputs that it has received. Lists the last
 * change of at most a given number of keys above the watermark; of more keys, the position names
 * the highest change that is not listed. Not thread-safe.
 */
public final class ListenProgress {

  /** A key whose last change is listed. */
  private record ListedKey(LastShown last, long keyHash) implements Comparable<ListedKey> {

    private static final Comparator<ListedKey> ORDER =
        Comparator.comparing(ListedKey::last).thenComparingLong(ListedKey::keyHash);

    @Override
    public int compareTo(ListedKey other) {
      return ORDER.compare(this, other);
    }
  }

  private final long cache;
  private final int mostListed;
  private long configuration;
  private long watermark;
  private ChangeStamp unlisted = ChangeStamp.NONE;

  /** The last changes of keys above the watermark, and the same in the order of their times. */
  private final Map<Long, LastShown> listed = new HashMap<>();

  private final TreeSet<ListedKey> byTime = new TreeSet<>();

  /**
   * @param cache the number of the cache
   * @param mostListed how many keys a position lists at most
   * @param resumed the position from which the stream continues
   */
  public ListenProgress(
      long cache, long configuration, int mostListed, @Nullable ListenPosition resumed) {
    this.cache = cache;
    this.mostListed = mostListed;
    this.configuration = configuration;
    if (resumed != null) {
      this.configuration = resumed.configuration();
      watermark = resumed.watermark();
      unlisted = resumed.unlisted();
      resumed.shown().forEach(this::list);
      trim();
    }
  }

  /** The reader has received {@code output}. */
  public void received(ListenOutput<?, ?> output) {
    if (output instanceof ListenOutput.Shown<?, ?> shown) {
      received(shown.keyHash(), shown.change().stamp());
    } else if (output instanceof ListenOutput.Recorded<?, ?> recorded) {
      received(recorded.keyHash(), recorded.stamp());
    } else if (output instanceof ListenOutput.Covered<?, ?> covered) {
      cover(covered);
    }
  }

  private void received(long keyHash, ChangeStamp stamp) {
    LastShown former = listed.get(keyHash);
    if (former == null || !former.covers(stamp)) {
      list(keyHash, LastShown.of(stamp));
      trim();
    }
  }

  private void list(long keyHash, LastShown last) {
    LastShown former = listed.put(keyHash, last);
    if (former != null) {
      byTime.remove(new ListedKey(former, keyHash));
    }
    byTime.add(new ListedKey(last, keyHash));
  }

  private void trim() {
    while (byTime.size() > mostListed) {
      LastShown lowest = removeLowest();
      ChangeStamp top = ListenPosition.top(lowest.configuration(), lowest.micros());
      unlisted = top.isAfter(unlisted) ? top : unlisted;
    }
  }

  private LastShown removeLowest() {
    ListedKey lowest = byTime.first();
    byTime.remove(lowest);
    listed.remove(lowest.keyHash());
    return lowest.last();
  }

  private void cover(ListenOutput.Covered<?, ?> covered) {
    configuration = covered.configuration();
    watermark = covered.watermark();
    LastShown top = LastShown.lastOf(configuration, watermark);
    while (!byTime.isEmpty() && byTime.first().last().compareTo(top) <= 0) {
      removeLowest();
    }
    ChangeStamp topStamp = ListenPosition.top(configuration, watermark);
    unlisted = unlisted.isAfter(topStamp) ? unlisted : ChangeStamp.NONE;
  }

  /** The present position. */
  public ListenPosition position() {
    return new ListenPosition(cache, configuration, watermark, unlisted, listed);
  }
}
