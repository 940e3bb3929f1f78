package io.ensemble.partition;

/**
 * A pattern could take more than {@value GroupPattern#MOST_STEPS} steps on a key, which therefore
 * has no part, in any process. The call had no effect; a retry will fail again.
 */
public final class MatchTooCostlyException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  MatchTooCostlyException(String pattern, int length) {
    super(
        ("matching the key takes too many steps, so the key has no part; most=%d pattern=%s key's "
                + "length=%d")
            .formatted(GroupPattern.MOST_STEPS, pattern, length));
  }
}
