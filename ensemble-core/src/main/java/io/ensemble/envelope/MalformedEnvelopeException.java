package io.ensemble.envelope;

/** A stored entry was not written by Ensemble, or has a format that this version cannot read. */
public final class MalformedEnvelopeException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public MalformedEnvelopeException(String expected) {
    super("malformed entry; expected " + expected);
  }

  private MalformedEnvelopeException(String what, int wanted, int came) {
    super(
        ("%s was written by another version of Ensemble; all processes of a cache must run the "
                    + "same version; ")
                .formatted(what)
            + "expected=%d got=%d".formatted(wanted, came));
  }

  /** An entry of a format that this version of Ensemble cannot read, or can no longer read. */
  public static MalformedEnvelopeException ofVersion(String what, int wanted, int came) {
    return new MalformedEnvelopeException(what, wanted, came);
  }
}
