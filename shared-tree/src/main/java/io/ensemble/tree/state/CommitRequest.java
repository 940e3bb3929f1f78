package io.ensemble.tree.state;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A transaction as it is sent to the sequencer.
 *
 * @param base the commit whose state was read
 * @param chain the digest of the commits up to the base
 * @param reads what was read
 * @param quotas the owners who must not exceed a quota
 * @param usage the differences of each owner's usage
 * @param changes in order
 */
public record CommitRequest(
    long base,
    int chain,
    ReadSet reads,
    Map<String, QuotaClaim> quotas,
    Map<String, OwnerUsage> usage,
    List<TreeChange> changes) {

  /**
   * An owner whose usage grows.
   *
   * @param atBase the usage at the base
   * @param limit the quota
   */
  public record QuotaClaim(OwnerUsage atBase, OwnerUsage limit) {}

  /** The changes with their usage, as the log holds them. */
  byte[] payload() {
    TreeOutput out = new TreeOutput();
    writeUsage(out, usage);
    out.number(changes.size());
    changes.forEach(change -> TreeChange.write(out, change));
    return out.toBytes();
  }

  /** The bytes for the sequencer. */
  public byte[] encoded() {
    TreeOutput out = new TreeOutput();
    out.number(base);
    out.signed(chain);
    reads.write(out);
    out.number(quotas.size());
    quotas.forEach(
        (owner, claim) -> {
          out.text(owner);
          claim.atBase().write(out);
          claim.limit().write(out);
        });
    out.block(payload());
    return out.toBytes();
  }

  static void writeUsage(TreeOutput out, Map<String, OwnerUsage> usage) {
    out.number(usage.size());
    usage.forEach(
        (owner, difference) -> {
          out.text(owner);
          difference.write(out);
        });
  }

  static Map<String, OwnerUsage> readUsage(TreeInput in) {
    Map<String, OwnerUsage> usage = new TreeMap<>();
    for (int left = in.count(); left > 0; left--) {
      usage.put(in.text(), OwnerUsage.read(in));
    }
    return usage;
  }
}
