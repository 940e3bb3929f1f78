package io.ensemble;

/**
 * The requested operation cannot begin while the cache is being changed; nothing was done. Retry
 * when the change has ended or was cancelled.
 */
public final class ChangeInProgressException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  /**
   * @param from the present definition
   * @param to the definition that the change in progress leads to
   */
  public ChangeInProgressException(CacheDefinition from, CacheDefinition to) {
    super(
        "the cache is being changed; cache=%s change=%s"
            .formatted(from.name(), from.differences(to)));
  }
}
