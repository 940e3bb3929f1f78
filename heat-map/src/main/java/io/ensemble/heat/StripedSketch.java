package io.ensemble.heat;

import io.ensemble.site.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The operations on one cache in one window, spread over a few sketches so that threads seldom wait
 * for each other. Each sketch is locked for one update at a time. Thread-safe.
 */
final class StripedSketch {

  /** More threads than this share sketches. */
  static final int MOST_STRIPES = 8;

  /** A sketch of its own for each of some threads. */
  private static final class Stripe {
    private @Nullable HeatSketch open;

    Stripe(boolean isHmac) {
      open = new HeatSketch(isHmac);
    }

    synchronized boolean add(Bytes key, int valueBytes, boolean writes) {
      HeatSketch sketch = open;
      if (sketch == null) {
        return false;
      }
      if (writes) {
        sketch.write(key, valueBytes);
      } else {
        sketch.read(key, valueBytes);
      }
      return true;
    }

    synchronized @Nullable HeatSketch close() {
      HeatSketch closed = open;
      open = null;
      return closed;
    }
  }

  private final boolean isHmac;
  private final Stripe[] stripes;

  StripedSketch(boolean isHmac) {
    this.isHmac = isHmac;
    int wanted = Math.min(MOST_STRIPES, 2 * Runtime.getRuntime().availableProcessors());
    stripes = new Stripe[Integer.highestOneBit(wanted)];
    for (int i = 0; i < stripes.length; i++) {
      stripes[i] = new Stripe(isHmac);
    }
  }

  /** Adds an operation; false if the window has ended, and nothing was added. */
  boolean add(Bytes key, int valueBytes, boolean writes) {
    long mixed = Thread.currentThread().getId() * 0x9e3779b97f4a7c15L;
    return stripes[(int) (mixed >>> 32) & (stripes.length - 1)].add(key, valueBytes, writes);
  }

  /** Ends the window, and returns all its operations. */
  HeatSketch close() {
    HeatSketch all = new HeatSketch(isHmac);
    for (Stripe stripe : stripes) {
      HeatSketch closed = stripe.close();
      if (closed != null) {
        all.merge(closed);
      }
    }
    return all;
  }
}
