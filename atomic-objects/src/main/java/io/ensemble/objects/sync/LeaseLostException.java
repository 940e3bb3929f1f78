package io.ensemble.objects.sync;

/**
 * The grant is no longer held: its lease ended, or it was released. Work done under the grant until
 * now may overlap with work of the next holder, unless the resource rejects old tokens.
 */
public final class LeaseLostException extends IllegalStateException {

  private final long token;

  LeaseLostException(String why, long token, String object) {
    super(why + "; token=" + token + " object=" + object);
    this.token = token;
  }

  /** The token of the grant. */
  public long token() {
    return token;
  }
}
