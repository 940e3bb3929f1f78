package io.ensemble.zoofence.wire;

/**
 * Numbers of transactions of one instance, made such that those of all instances differ. Those of
 * one instance keep their order.
 */
public final class Zxids {
  private static final int INSTANCE_BITS = 6;

  private Zxids() {}

  /**
   * The number that clients see.
   *
   * @param zxid an instance's own; what is not above 0 is no transaction and stays as it is
   */
  public static long seen(long zxid, int instance) {
    return zxid <= 0 ? zxid : zxid << INSTANCE_BITS | instance;
  }
}
