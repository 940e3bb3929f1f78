package io.ensemble.check.doctor;

/** Whether nodes have the free space that they require. */
public final class DiskFindings {

  static final String CHECK = "disks";
  private static final String PAGE = "docs/recovery.md#recover-from-a-full-disk";
  private static final double NEAR = 2;

  private DiskFindings() {}

  /**
   * @param silent whether the node answers no client because of its disk
   */
  public static Finding of(String node, long freeBytes, long reserveBytes, boolean silent) {
    String seen = "%,d MB free, reserve %,d MB".formatted(freeBytes >> 20, reserveBytes >> 20);
    if (silent || freeBytes < reserveBytes) {
      return Finding.error(
          CHECK, node, seen + ": the node answers no client", "make room; see " + PAGE);
    }
    return freeBytes < NEAR * reserveBytes
        ? Finding.warning(CHECK, node, seen, "make room; see " + PAGE)
        : Finding.ok(CHECK, node, seen);
  }

  public static Finding unknown(String site) {
    return Finding.notChecked(
        CHECK,
        site,
        "Infinispan Server reports its free space neither over Hot Rod nor over REST",
        "give --data DIR for nodes of 'up --data', or run 'df' on its machines; see " + PAGE);
  }

  public static Finding inMemory(String site) {
    return Finding.ok(CHECK, site, "keeps its entries in memory");
  }
}
