package io.ensemble;

import io.ensemble.site.Bytes;

/**
 * The writes of one key that a reader has seen. A write that carries the context replaces these
 * writes. Opaque and immutable; mostly one to two hundred bytes. A context may be sent to other
 * processes as bytes, and used once, often or never, at any time and by any process. Accept
 * contexts only from clients that may write the key.
 */
public final class CausalContext {

  private final Bytes bytes;

  private CausalContext(Bytes bytes) {
    this.bytes = bytes;
  }

  /**
   * The context whose {@link #toBytes} these are; the bytes are validated when the context is used.
   */
  public static CausalContext of(byte... bytes) {
    return new CausalContext(Bytes.of(bytes.clone()));
  }

  /** The context as bytes, for {@link #of}. */
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
