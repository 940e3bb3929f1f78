package io.ensemble;

/**
 * A stream of the changes of a distributed cache has ended, because the keys were assigned to its
 * parts anew. Listen again from its last position: the new stream begins with a gap of reason
 * {@link ChangeEvent.GapReason#RETENTION}.
 */
public final class PartsChangedException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  public PartsChangedException() {
    super("keys were assigned to the parts of the cache anew: listen again from the last position");
  }
}
