package io.ensemble;

/** Another change of a distributed cache's parts is in progress; nothing was done. */
public final class RepartitionInProgressException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  /**
   * @param from the present definition
   * @param underWay the definition that the change in progress leads to
   * @param wanted the definition that was requested
   */
  public RepartitionInProgressException(
      DistributedDefinition from, DistributedDefinition underWay, DistributedDefinition wanted) {
    super(
        "another change of the parts is in progress; cache=%s current=%s requested=%s"
            .formatted(from.name(), from.differences(underWay), from.differences(wanted)));
  }
}
