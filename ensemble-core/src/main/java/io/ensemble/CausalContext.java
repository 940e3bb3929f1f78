package io.ensemble;

import io.ensemble.site.Bytes;

/**
 * What a reader has seen of one key, to say with a write what that takes the place of. Opaque; may
 * be carried elsewhere as bytes, between one and two hundred in most cases, and used once, often or
 * never, at any time and by anybody: take it from those only who may write the key. Immutable.
 */
public final class CausalContext {

  private final Bytes bytes;

  private CausalContext(Bytes bytes) {
    this.bytes = bytes;
  }

  /** The context whose {@link #toBytes} these are; looked at when it is used. */
  public static CausalContext of(byte... bytes) {
    return new CausalContext(Bytes.of(bytes.clone()));
  }

  /** What {@link #of} takes. */
  public byte[] toBytes() {
    return bytes.array().clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CausalContext context && bytes.equals(context.bytes);
  }

  @Override
  public int hashCode() {
    return bytes.hashCode();
  }

  @Override
  public String toString() {
    return "CausalContext[" + bytes + "]";
  }
}
