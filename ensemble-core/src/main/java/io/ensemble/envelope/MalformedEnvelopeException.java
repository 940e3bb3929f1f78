package io.ensemble.envelope;

/** A stored entry was not written by Ensemble, or has a format that this version cannot read. */
public final class MalformedEnvelopeException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public MalformedEnvelopeException(String expected) {
    super("not an entry of Ensemble: " + expected);
  }

  private MalformedEnvelopeException(String what, int wanted, int came) {
    super(
        "%s was written by another version of Ensemble, and all processes of a cache are of one; "
                .formatted(what)
            + "wanted=%d came=%d".formatted(wanted, came));
  }

  /** An entry of a format that this version of Ensemble cannot read, or can no longer read. */
  public static MalformedEnvelopeException ofVersion(String what, int wanted, int came) {
    return new MalformedEnvelopeException(what, wanted, came);
  }
}
