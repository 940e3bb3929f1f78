package io.ensemble.testkit.trace;

import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;

/**
 * A synthetic trace with the shape of Wikipedia's histories, equal for equal settings.
 *
 * <p>The source is LEADS D2.6, appendix A, figure 2. The available text of the paper lacks its
 * pictures, whose axes are logarithmic, so this class follows the text about them. Versions per
 * page (2(a)): "the vast majority of pages have less than 10 versions, a small fraction have
 * hundreds to thousands". This class uses a discrete Pareto tail, in which the share of pages with
 * n versions or more is n^-1.1. It has 92 % below 10, 0.6 % with hundreds and more, 0.05 % with
 * thousands, and is a straight line on such axes. Page sizes (2(b)): "average 3.86 KB, a small
 * fraction (0.0002 %) bigger than 1 MB". A log-normal distribution with that mean has that share
 * beyond 1 MiB for a sigma of 1.44; sizes are then divided by 10, as in the paper.
 *
 * <p>A version replaces a stretch of one twentieth of its page. The versions of all keys follow
 * each other in random order, 1 min apart.
 *
 * @param keys the number of keys
 * @param seed the seed of all random choices
 * @param alpha the exponent of the tail; 1.1 by default
 * @param mostVersions the maximum number of versions of one key
 * @param meanBytes the mean size of a value in bytes; 386 as in the paper
 */
public record SyntheticTrace(int keys, long seed, double alpha, int mostVersions, int meanBytes) {

  /** The exponent of the tail that follows figure 2(a). */
  public static final double ALPHA = 1.1;

  /** The default maximum number of versions of a key. */
  public static final int MOST_VERSIONS = 10_000;

  /** 3.86 KB scaled down by 10. */
  public static final int MEAN_BYTES = 386;

  /** The time of the first version: the day of the paper's dump of Wikipedia. */
  private static final long BEGIN_MILLIS = 1_199_318_400_000L;

  private static final long STEP_MILLIS = 60_000;

  /**
   * @throws IllegalArgumentException if a value is invalid; the message names it
   */
  public SyntheticTrace {
    if (keys < 1 || mostVersions < 1 || meanBytes < 1) {
      throw new IllegalArgumentException(
          "keys, versions and bytes must be at least 1; keys=%d most versions=%d mean bytes=%d"
              .formatted(keys, mostVersions, meanBytes));
    }
    if (!(alpha > 0 && alpha <= 10)) {
      throw new IllegalArgumentException("exponent must be in (0, 10]; got " + alpha);
    }
  }

  /** A trace of that many keys, with all other settings as in the paper. */
  public static SyntheticTrace of(int keys, long seed) {
    return new SyntheticTrace(keys, seed, ALPHA, MOST_VERSIONS, MEAN_BYTES);
  }

  /** The header for a file of this trace. */
  public TraceHeader header() {
    return new TraceHeader(
        "synthetic",
        "keys=%d seed=%d alpha=%s most_versions=%d mean_bytes=%d"
            .formatted(keys, seed, alpha, mostVersions, meanBytes));
  }

  /** The number of versions of each key. */
  int[] versionCounts() {
    Random random = new Random(seed);
    int[] counts = new int[keys];
    for (int i = 0; i < keys; i++) {
      double least = Math.floor(Math.pow(1 - random.nextDouble(), -1 / alpha));
      counts[i] = (int) Math.min(mostVersions, least);
    }
    return counts;
  }

  /**
   * Generates the trace, and passes it to {@code sink}. Holds a value and a few numbers for each
   * key and version.
   */
  public void all(TraceSink sink) throws IOException {
    int[] order = order(versionCounts());
    Random random = new Random(seed ^ 0x5DEECE66DL);
    SyntheticPages content = new SyntheticPages(meanBytes);
    byte[][] pages = new byte[keys][];
    for (int i = 0; i < order.length; i++) {
      int key = order[i];
      pages[key] = pages[key] == null ? content.page(random) : content.edit(pages[key], random);
      sink.take(
          new TraceVersion(
              "page-" + key, BEGIN_MILLIS + i * STEP_MILLIS, Optional.of(pages[key].clone())));
    }
  }

  /** Each key as many times as it has versions, shuffled. */
  private int[] order(int[] counts) {
    int[] order = new int[Math.toIntExact(Arrays.stream(counts).asLongStream().sum())];
    int at = 0;
    for (int key = 0; key < counts.length; key++) {
      Arrays.fill(order, at, at + counts[key], key);
      at += counts[key];
    }
    Random random = new Random(~seed);
    for (int i = order.length - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int swapped = order[i];
      order[i] = order[other];
      order[other] = swapped;
    }
    return order;
  }
}
