package io.ensemble.envelope;

/** A stored entry is not one of ours, or of a format that this version does not know. */
public final class MalformedEnvelopeException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public MalformedEnvelopeException(String expected) {
    super("not an entry of Ensemble: " + expected);
  }
}
