package io.ensemble;

/**
 * What was asked for cannot be begun while a cache is being changed; nothing was done. Retry when
 * the change is over, or has been given up.
 */
public final class ChangeInProgressException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  /**
   * @param from what the cache is
   * @param to what it is becoming
   */
  public ChangeInProgressException(CacheDefinition from, CacheDefinition to) {
    super(
        "the cache is being changed; cache=%s change=%s"
            .formatted(from.name(), from.differences(to)));
  }
}
