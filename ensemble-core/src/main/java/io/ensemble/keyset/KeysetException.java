package io.ensemble.keyset;

/**
 * A keyset cannot be read, or the text is not a keyset. The message names the place and never the
 * content found there. The call had no effect; retry it after the place is corrected.
 */
public final class KeysetException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** A keyset that cannot be used. */
  public KeysetException(String detail) {
    super(detail);
  }
}
