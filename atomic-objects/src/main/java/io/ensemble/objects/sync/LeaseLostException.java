package io.ensemble.objects.sync;

/**
 * What was granted is not held any more: its lease ended, or it was given back. What was done with
 * it until then may overlap with what the next holder does, unless the resource refuses old tokens.
 */
public final class LeaseLostException extends IllegalStateException {

  private final long token;

  LeaseLostException(String why, long token, String object) {
    super(why + "; token=" + token + " object=" + object);
    this.token = token;
  }

  /** The token of what is not held any more. */
  public long token() {
    return token;
  }
}
