package io.ensemble.tree.state;

/**
 * Nodes of an owner, and the bytes of their values and of the users whom they list; or a difference
 * of both.
 */
public record OwnerUsage(long nodes, long bytes) {

  /** Nothing. */
  public static final OwnerUsage NONE = new OwnerUsage(0, 0);

  /** The sum. */
  public OwnerUsage plus(OwnerUsage other) {
    return new OwnerUsage(nodes + other.nodes, bytes + other.bytes);
  }

  /** The sum. */
  public OwnerUsage plus(long moreNodes, long moreBytes) {
    return new OwnerUsage(nodes + moreNodes, bytes + moreBytes);
  }

  /** As the value of a record. */
  public byte[] encoded() {
    TreeOutput out = new TreeOutput();
    write(out);
    return out.toBytes();
  }

  /** The inverse of {@link #encoded}. */
  public static OwnerUsage decoded(byte[] value) {
    return read(new TreeInput(value));
  }

  void write(TreeOutput out) {
    out.signed(nodes);
    out.signed(bytes);
  }

  static OwnerUsage read(TreeInput in) {
    return new OwnerUsage(in.signed(), in.signed());
  }
}
