package io.ensemble;

/** Another change of a distributed cache's parts is under way; nothing was done. */
public final class RepartitionInProgressException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  /**
   * @param from what the cache is
   * @param underWay what it is becoming
   * @param wanted what it should have become
   */
  public RepartitionInProgressException(
      DistributedDefinition from, DistributedDefinition underWay, DistributedDefinition wanted) {
    super(
        "another change of the parts is under way; cache=%s under way=%s wanted=%s"
            .formatted(from.name(), from.differences(underWay), from.differences(wanted)));
  }
}
