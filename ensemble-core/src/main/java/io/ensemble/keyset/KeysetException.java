package io.ensemble.keyset;

/**
 * A keyset cannot be had, or is none. The message says where it was looked for and never what was
 * found there. Nothing was done; a retry is good once that place is put right.
 */
public final class KeysetException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** A keyset that cannot be used. */
  public KeysetException(String detail) {
    super(detail);
  }
}
