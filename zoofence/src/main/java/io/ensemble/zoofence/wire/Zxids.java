package io.ensemble.zoofence.wire;

/**
 * Converts an instance's transaction numbers so that those of all instances differ. The numbers of
 * one instance keep their order.
 */
public final class Zxids {
  private static final int INSTANCE_BITS = 6;

  private Zxids() {}

  /**
   * The number that clients see.
   *
   * @param zxid the instance's own number; a number not above 0 is no transaction and remains
   *     unchanged
   */
  public static long seen(long zxid, int instance) {
    return zxid <= 0 ? zxid : zxid << INSTANCE_BITS | instance;
  }
}
